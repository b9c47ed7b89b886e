//! Paging of lists.

/// A request for one page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum number of rows: 1 to 1000.
    pub limit: i64,
    /// Number of rows to skip: 0 or more.
    pub offset: i64,
}

impl PageRequest {
    /// Maximum number of rows of a page.
    pub const MAX_LIMIT: i64 = 1000;
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 100, offset: 0 }
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Number of matching records on all pages.
    pub count: i64,
    /// The records of the page.
    pub rows: Vec<T>,
}
