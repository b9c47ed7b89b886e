//! Lists in responses.

use florin_domain::page::{Page, PageRequest};
use serde::Serialize;
use utoipa::ToSchema;

/// One page of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct List<T: ToSchema> {
    /// Maximum number of items of the page.
    #[schema(minimum = 1, maximum = 1000)]
    limit: i64,
    /// Number of items skipped.
    #[schema(minimum = 0)]
    offset: i64,
    /// Number of items on all pages together.
    #[schema(minimum = 0)]
    count: i64,
    /// The items of the page.
    rows: Vec<T>,
}

impl<T: ToSchema> List<T> {
    /// Builds a page of a list. `view` converts each row.
    pub(crate) fn new<R>(request: PageRequest, page: Page<R>, view: impl Fn(R) -> T) -> Self {
        let Page { count, rows } = page;
        Self { limit: request.limit, offset: request.offset, count, rows: rows.into_iter().map(view).collect() }
    }
}

impl<T: Serialize + ToSchema> List<T> {
    /// Renders the list as JSON. The buffer has about the final size from the start, because a growing buffer is copied
    /// repeatedly. The estimate assumes that rows are about as long as the first one.
    pub(crate) fn json(&self) -> serde_json::Result<Vec<u8>> {
        let first = self.rows.first().map(serde_json::to_vec).transpose()?.map_or(0, |text| text.len());
        let mut text = Vec::with_capacity(128 + self.rows.len() * (first + first / 8));
        serde_json::to_writer(&mut text, self)?;
        Ok(text)
    }
}
