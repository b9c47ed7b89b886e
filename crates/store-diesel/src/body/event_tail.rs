//! The tail: how far events and changes of activity can be read.

/// The last position that was drawn, and the transactions that may still commit rows up to it.
pub(crate) struct EventTail {
    pub(crate) last: i64,
    /// Transactions in progress, as the database names them.
    pub(crate) writers: Vec<String>,
    /// Identifies the database server that was asked. The text changes when that server restarts. After a failure of
    /// this server, another one may draw again the positions that no transaction had committed.
    pub(crate) server: String,
}
