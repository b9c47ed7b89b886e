//! What every page has in common.

use crate::language::Language;
use crate::theme::Theme;

/// The surroundings of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The language of the page.
    pub language: Language,
    /// The path below which the assets and themes are served, without a slash at its end: `/pay`. The style sheet is
    /// `{root}/assets/pages.css`, a theme `{root}/theme/{file_name}`.
    pub root: String,
    /// The merchant. `None` if it is unknown, as with an unknown token: the page is then Florin's own.
    pub shop: Option<Shop>,
    /// Whether no real money moves. The page then says so.
    pub is_sandbox: bool,
}

/// A merchant as payers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shop {
    /// The name.
    pub name: String,
    /// The address of the logo, on this server. `None`: the initials of the name are shown.
    pub logo_url: Option<String>,
    /// The address of the return policy.
    pub return_policy_url: Option<String>,
    /// The colours. `None`: the default.
    pub theme: Option<Theme>,
    /// Whether Florin's logo is hidden.
    pub hide_service_logo: bool,
}

/// Where a page's forms are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The path of the page itself, such as `/pay/{token}`. Forms post to it, and links read it again.
    pub path: String,
    /// The value of the hidden field `formToken`.
    pub token: String,
}
