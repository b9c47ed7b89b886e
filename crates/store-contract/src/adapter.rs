//! Storage adapters, and the selection of one by URL.

use crate::{AnyStore, OpenError, StoreSettings};
use std::fmt;
use std::sync::Arc;

/// A kind of store: the URLs that it accepts, and how to open it.
#[derive(Clone, Copy)]
pub struct Adapter {
    /// The schemes of its URLs, in lower case. The first one is its name in messages.
    pub schemes: &'static [&'static str],
    /// Whether it also accepts paths without a scheme. At most one adapter of a program should do so.
    pub accepts_paths: bool,
    /// Opens the store and starts its writer, without migrating. Blocks the thread, so call it at start-up only.
    pub open: fn(&StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError>,
}

impl Adapter {
    /// Returns whether the adapter accepts the URL of these settings.
    pub fn accepts(&self, settings: &StoreSettings) -> bool {
        settings.has_scheme(self.schemes) || (self.accepts_paths && settings.scheme().is_none())
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adapter").field("schemes", &self.schemes).finish_non_exhaustive()
    }
}

/// Opens the store with the first adapter that accepts the URL, without migrating. Blocks the thread, so call it at
/// start-up only.
pub fn open(adapters: &[Adapter], settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    let adapter = adapters.iter().find(|adapter| adapter.accepts(settings));
    let adapter = adapter.ok_or_else(|| OpenError::UnknownScheme {
        scheme: settings.scheme().unwrap_or_default().to_owned(),
        known: known_schemes(adapters),
    })?;
    (adapter.open)(settings)
}

/// Returns the first scheme of each adapter as a readable list, such as `a:`, `b:` and `c:`.
fn known_schemes(adapters: &[Adapter]) -> String {
    let names: Vec<_> = adapters.iter().filter_map(|adapter| adapter.schemes.first()).collect();
    let names: Vec<_> = names.iter().map(|name| format!("`{name}:`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Adapter =
        Adapter { schemes: &["sqlite"], accepts_paths: true, open: |_| Err(OpenError::NotBuilt("SQLite")) };
    const SERVER: Adapter = Adapter {
        schemes: &["postgres", "postgresql"],
        accepts_paths: false,
        open: |_| Err(OpenError::NotBuilt("PostgreSQL")),
    };

    fn refusal(url: &str) -> String {
        open(&[FILE, SERVER], &StoreSettings::at(url)).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_scheme_selects_the_adapter() {
        for url in ["sqlite:florin.db", "SQLite:florin.db", "florin.db", ""] {
            assert!(refusal(url).contains("not include SQLite"), "{url}");
        }
        for url in ["postgres://localhost/florin", "postgresql:///florin", "Postgres://a:1,b:2/florin?x=y"] {
            assert!(refusal(url).contains("not include PostgreSQL"), "{url}");
        }
    }

    #[test]
    fn an_unknown_scheme_is_refused_without_quoting_the_url() {
        for (url, scheme) in [("mysql://root:secret@db/florin", "mysql"), ("file:florin.db", "file")] {
            let expected =
                format!("the database URL begins with `{scheme}:`; known schemes are `sqlite:` and `postgres:`");
            assert_eq!(refusal(url), expected);
        }
    }
}
