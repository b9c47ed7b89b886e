//! How prepared queries are identified.

/// Identifies queries by their texts, so that each text stays prepared. `Conn` must be in scope.
macro_rules! identified_by_text {
    ($($query:ty => $sql:ty;)*) => {$(
        impl diesel::query_builder::QueryId for $query {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }

        impl diesel::query_builder::Query for $query {
            type SqlType = $sql;
        }

        impl diesel::RunQueryDsl<Conn> for $query {}
    )*};
}
pub(crate) use identified_by_text;
