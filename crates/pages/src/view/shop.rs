//! The parts that all pages share: the frame, the merchant and the form.

use crate::language::Language;
use crate::theme::Theme;

/// The frame of a page: its language, its merchant and the path of its assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The language of the page.
    pub language: Language,
    /// The path below which assets and themes are served, without a slash at the end, such as `/pay`. The style sheet
    /// is at `{root}/assets/pages.css`, and a theme at `{root}/theme/{file_name}`.
    pub root: String,
    /// The merchant. `None`: the merchant is unknown, for example because the token is unknown. The page then has
    /// Florin's own design.
    pub shop: Option<Shop>,
    /// Whether no real money moves. The page then displays a notice.
    pub is_sandbox: bool,
}

/// A merchant as payers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shop {
    /// The name.
    pub name: String,
    /// The URL of the logo, on this server. `None`: the initials of the name are shown.
    pub logo_url: Option<String>,
    /// The URL of the return policy. `None`: no link is shown.
    pub return_policy_url: Option<String>,
    /// The colours. `None`: the default colours.
    pub theme: Option<Theme>,
    /// Whether Florin's logo is hidden.
    pub hide_service_logo: bool,
}

/// The path and the token of a page's forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The path of the page itself, such as `/pay/{token}`. Forms are posted to it, and links load it again.
    pub path: String,
    /// The value of the hidden field `formToken`.
    pub token: String,
}
