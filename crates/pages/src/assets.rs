//! The style sheet and the icon of the pages.

/// A file that the pages load. It is part of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// The contents of the file.
    pub bytes: &'static [u8],
    /// The media type of the file.
    pub content_type: &'static str,
}

impl Asset {
    /// Returns the hash of the contents that pages put into the file's URL: 64-bit FNV-1a, which is enough to detect a
    /// change.
    pub fn version(&self) -> String {
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", self.bytes.iter().fold(0xcbf2_9ce4_8422_2325, add))
    }
}

const STYLE: &str = include_str!("../assets/pages.css");
const ICON: &str = include_str!("../assets/icon.svg");

/// Finds a file by its name: `pages.css` or `icon.svg`. The web adapter serves it at `{root}/assets/{name}`.
///
/// Pages add the file's [version](Asset::version) to its URL (`pages.css?v=…`), so a response to such a URL can be
/// cached forever.
pub fn asset(name: &str) -> Option<Asset> {
    match name {
        "pages.css" => Some(Asset { bytes: STYLE.as_bytes(), content_type: "text/css; charset=utf-8" }),
        "icon.svg" => Some(Asset { bytes: ICON.as_bytes(), content_type: "image/svg+xml" }),
        _ => None,
    }
}
