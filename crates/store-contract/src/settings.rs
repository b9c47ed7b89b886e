//! The location of the database, and how to use it.

use std::fmt;

/// Settings with which a store is opened.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// The database: a URL, whose scheme selects the adapter, or a path without a scheme. The adapter reads the rest.
    pub url: String,
    /// The number of connections that read. `None` is the adapter's default, and 0 counts as 1.
    pub readers: Option<u32>,
    /// Maximum number of queued writes. Further writes are refused. 0 counts as 1.
    pub queue: usize,
    /// Whether to create a database that does not exist, if the adapter can create databases.
    pub create: bool,
}

impl StoreSettings {
    /// Settings for a store at this URL: created if it does not exist, with a queue of 1024 and the adapter's default
    /// number of readers.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into(), readers: None, queue: 1024, create: true }
    }

    /// The scheme of the URL as written, or `None` for a path. (A single letter before the colon is a drive.)
    pub fn scheme(&self) -> Option<&str> {
        let (scheme, _) = self.url.split_once(':')?;
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        (scheme.len() > 1 && scheme.bytes().all(allowed) && scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
            .then_some(scheme)
    }

    /// Whether the URL has one of these schemes. Case does not matter.
    pub fn has_scheme(&self, schemes: &[&str]) -> bool {
        self.scheme().is_some_and(|scheme| schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)))
    }
}

/// Shows only the scheme of the URL: the rest may hold a password.
impl fmt::Debug for StoreSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSettings")
            .field("scheme", &self.scheme())
            .field("readers", &self.readers)
            .field("queue", &self.queue)
            .field("create", &self.create)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_and_paths_are_distinguished() {
        for (url, scheme) in [
            ("postgres://me:secret@db", Some("postgres")),
            ("SQLite:florin.db", Some("SQLite")),
            ("mysql:florin", Some("mysql")),
            ("florin.db", None),
            ("./odd?name:x.db", None),
            ("c:\\florin.db", None),
            (":memory:", None),
            ("", None),
        ] {
            assert_eq!(StoreSettings::at(url).scheme(), scheme, "{url}");
        }
    }

    #[test]
    fn settings_do_not_print_the_url() {
        let printed = format!("{:?}", StoreSettings::at("postgres://me:secret@db"));
        assert!(printed.contains("postgres") && !printed.contains("secret"), "{printed}");
    }
}
