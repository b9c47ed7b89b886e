//! Cuts pages out of lists.

use florin_domain::page::{Page, PageRequest};

/// Returns one page of the matching rows, with the number of all of them.
pub(crate) fn paginate<T>(matching: Vec<T>, page: PageRequest) -> Page<T> {
    let size = |number: i64| usize::try_from(number).unwrap_or(0);
    let count = i64::try_from(matching.len()).unwrap_or(i64::MAX);
    let rows = matching.into_iter().skip(size(page.offset)).take(size(page.limit)).collect();
    Page { count, rows }
}
