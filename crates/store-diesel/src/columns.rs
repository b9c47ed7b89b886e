//! What the declarations of the tables say about their columns, for the checks against the databases.

/// A column as it was declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredColumn {
    /// Its name.
    pub(crate) name: &'static str,
    /// The kind of its values.
    pub(crate) kind: ColumnKind,
    /// Whether it may be null.
    pub(crate) nullable: bool,
}

/// The kinds of values. Each database has one SQL type for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// A text.
    Text,
    /// A 64-bit integer.
    Integer,
    /// A truth value.
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
