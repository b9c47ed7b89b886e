//! Stored URLs, locales and shipping options of checkouts and sessions.

use super::body::errors::{Outcome, corrupt};
use florin_domain::merchant::{Locale, ShippingOptions, WebUrl};
use uuid::Uuid;

/// Reads a URL that the rules of a sandbox or of production accepted.
pub(crate) fn read_url(text: &str, id: Uuid) -> Outcome<WebUrl> {
    WebUrl::parse_or_loopback(text).map_err(|flaw| corrupt(format!("a URL of row {id} {}", flaw.message)))
}

/// Reads a locale.
pub(crate) fn read_locale(text: &str, id: Uuid) -> Outcome<Locale> {
    Locale::parse(text).map_err(|flaw| corrupt(format!("the locale of row {id} {}", flaw.message)))
}

/// Reads the options for collecting shipping data. `None`: none is collected.
pub(crate) fn read_shipping(
    collect_address: Option<bool>,
    dynamic_rates_url: Option<&str>,
    id: Uuid,
) -> Outcome<Option<ShippingOptions>> {
    let Some(collect_address) = collect_address else { return Ok(None) };
    let dynamic_rates_url = dynamic_rates_url.map(|url| read_url(url, id)).transpose()?;
    Ok(Some(ShippingOptions { collect_address, dynamic_rates_url }))
}
