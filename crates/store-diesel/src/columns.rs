//! The declared columns of tables, for the checks against the databases.

/// A declared column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredColumn {
    /// The name of the column.
    pub(crate) name: &'static str,
    /// The kind of its values.
    pub(crate) kind: ColumnKind,
    /// Whether it is nullable.
    pub(crate) nullable: bool,
}

/// The kinds of values. Each database has one SQL type for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// A text.
    Text,
    /// A 64-bit integer.
    Integer,
    /// A boolean.
    Bool,
    /// Bytes.
    Bytes,
    /// A UUID.
    Id,
    /// A time, to the microsecond.
    Time,
    /// A date.
    Day,
}
