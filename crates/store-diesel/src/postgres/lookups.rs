//! Lookups of rows by key. One statement runs one lookup, or several independent ones.

use super::body::errors::Outcome;
use super::body::statements::{Key, Lookup};
use super::value_lists::{Arrays, ArraysOf, Side, Values};
use super::{Conn, Db};
use diesel::dsl::SqlTypeOf;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::LoadQuery;
use diesel::{QueryResult, RunQueryDsl, Selectable};

/// Selects the rows of keys.
pub(crate) struct Select<L: Lookup> {
    selection: L::Selection,
    keys: ArraysOf<<L::Key as Key>::Values>,
    is_empty: bool,
}

impl<L: Lookup> Select<L> {
    /// Builds the statement for these keys.
    pub(super) fn of(keys: impl IntoIterator<Item = L::Key>) -> Self {
        let mut arrays = ArraysOf::<<L::Key as Key>::Values>::default();
        let mut is_empty = true;
        for key in keys {
            is_empty = false;
            key.into_values().append_to(&mut arrays);
        }
        Self { selection: L::selection(), keys: arrays, is_empty }
    }

    /// Runs the statement on its own. Without keys, runs nothing.
    pub(super) fn rows(self, conn: &mut Conn) -> Outcome<Vec<L::Row>> {
        if self.is_empty { Ok(Vec::new()) } else { Ok(L::run(self, conn)?) }
    }

    /// Writes the rows as a table of a larger statement, under the name of their table. Not for lookups with joins.
    pub(super) fn walk_table<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        for part in ["(SELECT ", L::TABLE, ".*"] {
            out.push_sql(part);
        }
        self.walk_from(out.reborrow())?;
        out.push_sql(") AS ");
        out.push_sql(L::TABLE);
        Ok(())
    }

    fn walk_from<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let first = L::KEY.first().copied().unwrap_or_default();
        out.push_sql(" FROM unnest(");
        self.keys.bind_first(&mut out)?;
        for part in [") WITH ORDINALITY AS k (", first, ", i) CROSS JOIN LATERAL (SELECT * FROM "] {
            out.push_sql(part);
        }
        for part in [L::TABLE, " WHERE ", L::TABLE, ".", first, " = k.", first] {
            out.push_sql(part);
        }
        self.keys.bind_others(L::KEY, &mut out, &mut |out, side, name| match side {
            Side::Before => {
                for part in [" AND ", L::TABLE, ".", name, " = "] {
                    out.push_sql(part);
                }
            }
            Side::After => out.push_sql("[k.i]"),
        })?;
        // The filter begins with AND. It is written inside the lateral query, so that a partial index can be used.
        for part in [L::FILTER, " OFFSET 0) AS ", L::TABLE, L::JOIN, L::ORDER, L::LOCK] {
            out.push_sql(part);
        }
        Ok(())
    }
}

impl<L: Lookup> QueryFragment<Db> for Select<L> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        self.walk_from(out)
    }
}

impl<L: Lookup> Query for Select<L> {
    type SqlType = L::Sql;
}

// It has one text, so its type identifies it.
impl<L: Lookup> QueryId for Select<L> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<L: Lookup> RunQueryDsl<Conn> for Select<L> {}

/// Loads the rows of these keys.
pub(crate) fn load<L: Lookup>(keys: impl IntoIterator<Item = L::Key>, conn: &mut Conn) -> Outcome<Vec<L::Row>> {
    Select::<L>::of(keys).rows(conn)
}

/// Selects the rows of several lookups. Each row of the result contains one part; the other parts are null.
pub(crate) struct SelectTogether<P: Parts> {
    selection: <P::Row as Selectable<Db>>::SelectExpression,
    parts: P,
}

/// The parts of a statement that selects the rows of several lookups.
pub(crate) trait Parts: 'static {
    /// A row of the result: an option for each part.
    type Row: Selectable<Db, SelectExpression: QueryFragment<Db>>;

    /// Writes the parts as tables, joined on a condition that is never true.
    fn walk_tables<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()>;
}

impl<P: Parts> QueryFragment<Db> for SelectTogether<P> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM ");
        self.parts.walk_tables(out)
    }
}

impl<P: Parts> Query for SelectTogether<P> {
    type SqlType = SqlTypeOf<<P::Row as Selectable<Db>>::SelectExpression>;
}

// It has one text, so its type identifies it.
impl<P: Parts> QueryId for SelectTogether<P> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<P: Parts> RunQueryDsl<Conn> for SelectTogether<P> {}

/// Defines functions that load the rows of several lookups. If only one lookup has keys, only its statement runs.
macro_rules! load_together {
    ($($(#[$doc:meta])* $name:ident($first:ident $one:ident, $($lookup:ident $more:ident),+);)*) => {$(
        impl<$first: Lookup, $($lookup: Lookup),+> Parts for (Select<$first>, $(Select<$lookup>),+)
        where
            (Option<$first::Row>, $(Option<$lookup::Row>),+): Selectable<Db, SelectExpression: QueryFragment<Db>>,
        {
            type Row = (Option<$first::Row>, $(Option<$lookup::Row>),+);

            fn walk_tables<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
                let ($one, $($more),+) = self;
                $one.walk_table(out.reborrow())?;
                $(
                    out.push_sql(" FULL JOIN ");
                    $more.walk_table(out.reborrow())?;
                    out.push_sql(" ON FALSE");
                )+
                Ok(())
            }
        }

        $(#[$doc])*
        #[allow(clippy::type_complexity, reason = "a list of rows for each lookup")]
        pub(crate) fn $name<$first: Lookup, $($lookup: Lookup),+>(
            $one: impl IntoIterator<Item = $first::Key>,
            $($more: impl IntoIterator<Item = $lookup::Key>,)+
            conn: &mut Conn,
        ) -> Outcome<(Vec<$first::Row>, $(Vec<$lookup::Row>),+)>
        where
            (Option<$first::Row>, $(Option<$lookup::Row>),+): Selectable<Db, SelectExpression: QueryFragment<Db>>,
            (Select<$first>, $(Select<$lookup>),+): Parts<Row = (Option<$first::Row>, $(Option<$lookup::Row>),+)>,
            SelectTogether<(Select<$first>, $(Select<$lookup>),+)>:
                LoadQuery<'static, Conn, (Option<$first::Row>, $(Option<$lookup::Row>),+)>,
        {
            let parts = (Select::<$first>::of($one), $(Select::<$lookup>::of($more)),+);
            let ($one, $($more),+) = &parts;
            let with_keys = usize::from(!$one.is_empty) $(+ usize::from(!$more.is_empty))+;
            if with_keys < 2 {
                let ($one, $($more),+) = parts;
                return Ok(($one.rows(conn)?, $($more.rows(conn)?),+));
            }
            let all = SelectTogether {
                selection: <(Option<$first::Row>, $(Option<$lookup::Row>),+) as Selectable<Db>>::construct_selection(),
                parts,
            };
            let rows = all.load::<(Option<$first::Row>, $(Option<$lookup::Row>),+)>(conn)?;
            let ($one, $($more),+): (Vec<_>, $(Vec<Option<$lookup::Row>>),+) = rows.into_iter().collect();
            Ok(($one.into_iter().flatten().collect(), $($more.into_iter().flatten().collect()),+))
        }
    )*};
}

load_together! {
    /// Loads the rows of two independent lookups.
    load_two(A a, B b);
    /// Loads the rows of four independent lookups.
    load_four(A a, B b, C c, D d);
}
