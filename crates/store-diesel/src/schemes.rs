//! The schemes of database URLs, by the kind of the database.

/// SQLite. A URL without a scheme is a path and names a SQLite database, too.
pub(crate) const SQLITE: &[&str] = &["sqlite"];
/// PostgreSQL.
pub(crate) const POSTGRES: &[&str] = &["postgres", "postgresql"];
