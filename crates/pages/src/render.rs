//! Rendering.

use crate::view::{Frame, Page};
use askama::Template;

#[derive(Template)]
#[template(path = "layout.html")]
struct Layout<'a> {
    frame: &'a Frame,
}

/// Renders a page as a whole HTML document.
pub fn render(frame: &Frame, _page: &Page) -> String {
    Layout { frame }.render().unwrap_or_default()
}
