//! How far the events of a database can be read.

/// The last position that was given, and who may still commit events up to it.
pub(crate) struct EventTail {
    pub(crate) last: i64,
    /// Transactions in progress, as the database names them.
    pub(crate) writers: Vec<String>,
}
