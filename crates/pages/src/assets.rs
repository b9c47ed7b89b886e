//! The files that the pages load.

/// A file of the pages, in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its content.
    pub bytes: &'static [u8],
    /// Its media type.
    pub content_type: &'static str,
}

/// The style sheet.
pub(crate) const STYLE: &str = include_str!("../assets/pages.css");
const ICON: &str = include_str!("../assets/icon.svg");

/// Finds a file by its name: `pages.css` or `icon.svg`. The web adapter serves it at `{root}/assets/{name}`.
///
/// Pages name a file with a hash of its content in the query (`pages.css?v=…`), so a response can be cached for good.
pub fn asset(name: &str) -> Option<Asset> {
    match name {
        "pages.css" => Some(Asset { bytes: STYLE.as_bytes(), content_type: "text/css; charset=utf-8" }),
        "icon.svg" => Some(Asset { bytes: ICON.as_bytes(), content_type: "image/svg+xml" }),
        _ => None,
    }
}
