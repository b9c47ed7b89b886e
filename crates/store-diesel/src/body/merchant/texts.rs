//! Stored URLs and locales of checkouts and sessions.

use super::body::errors::{Outcome, corrupt};
use florin_domain::merchant::{Locale, WebUrl};

/// Reads a URL that the rules of a sandbox or of production accepted.
pub(crate) fn read_url(text: &str) -> Outcome<WebUrl> {
    WebUrl::parse_or_loopback(text).map_err(|flaw| corrupt(format!("a stored URL {}", flaw.message)))
}

/// Reads a locale.
pub(crate) fn read_locale(text: &str) -> Outcome<Locale> {
    Locale::parse(text).map_err(|flaw| corrupt(format!("a stored locale {}", flaw.message)))
}
