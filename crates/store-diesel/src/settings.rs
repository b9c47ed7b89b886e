//! Where the database is, and how it is used.

use crate::OpenError;
use std::fmt;
use std::path::Path;

/// How to open a store.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// Where the database is. `sqlite:///absolute/path`, `sqlite://relative/path`, `sqlite:path`, or just a path: paths
    /// are taken literally, with no escapes. `postgres://…` or `postgresql://…`, with everything that libpq knows,
    /// several hosts included.
    pub url: String,
    /// How many connections read, at least 1.
    pub readers: u32,
    /// How many writes may wait; one more is refused. At least 1.
    pub queue: usize,
}

impl StoreSettings {
    /// A store at this URL, with a queue of 1024 and 4 readers, or 8 on PostgreSQL.
    pub fn at(url: impl Into<String>) -> Self {
        let mut settings = Self { url: url.into(), readers: 4, queue: 1024 };
        if let Ok(Kind::Postgres(_)) = settings.kind() {
            settings.readers = 8;
        }
        settings
    }

    /// The file of a SQLite database; `None` for a database server or an invalid URL.
    pub fn file(&self) -> Option<&Path> {
        match self.kind() {
            Ok(Kind::Sqlite(path)) => Some(path),
            Ok(Kind::Postgres(_)) | Err(_) => None,
        }
    }

    /// The database that the URL names.
    pub(crate) fn kind(&self) -> Result<Kind<'_>, OpenError> {
        let url = self.url.as_str();
        let (path, is_url) = match scheme(url) {
            None => (url, false),
            Some(scheme) => match scheme.to_ascii_lowercase().as_str() {
                "sqlite" => (&url[scheme.len() + 1..], true),
                "postgres" | "postgresql" => return Ok(Kind::Postgres(url)),
                _ => return Err(OpenError::UnknownScheme(scheme.to_owned())),
            },
        };
        if is_url && path.contains('?') {
            return Err(OpenError::Options);
        }
        let path = if is_url { path.strip_prefix("//").unwrap_or(path) } else { path };
        match path {
            "" => Err(OpenError::NoFile),
            ":memory:" => Err(OpenError::InMemory),
            path => Ok(Kind::Sqlite(Path::new(path))),
        }
    }
}

/// Tells the scheme of the URL only: the rest may hold a password.
impl fmt::Debug for StoreSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSettings")
            .field("scheme", &scheme(&self.url))
            .field("readers", &self.readers)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

/// A database, by its kind.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(all(feature = "sqlite", feature = "postgres")),
    allow(dead_code, reason = "a backend that was left out reads nothing")
)]
pub(crate) enum Kind<'a> {
    /// A file.
    Sqlite(&'a Path),
    /// A server, by its URL.
    Postgres(&'a str),
}

/// What comes before the first colon, if it looks like the scheme of a URL. (One letter is a drive.)
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    (scheme.len() > 1 && scheme.bytes().all(allowed) && scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn location(url: &str) -> Result<PathBuf, String> {
        match StoreSettings::at(url).kind() {
            Ok(Kind::Sqlite(path)) => Ok(path.to_owned()),
            Ok(Kind::Postgres(_)) => Err("a server".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_forms_of_a_sqlite_url() {
        for (url, path) in [
            ("sqlite:///var/lib/florin.db", "/var/lib/florin.db"),
            ("sqlite://data/florin.db", "data/florin.db"),
            ("sqlite:florin.db", "florin.db"),
            ("SQLite:florin.db", "florin.db"),
            ("florin.db", "florin.db"),
            ("./odd?name:x.db", "./odd?name:x.db"),
            ("/tmp/köln.db", "/tmp/köln.db"),
        ] {
            assert_eq!(location(url), Ok(PathBuf::from(path)), "{url}");
        }
    }

    #[test]
    fn what_is_refused_at_start_up() {
        for (url, reason) in [
            ("mysql://root:secret@db/florin", "begins with `mysql:`"),
            ("mysql:florin", "begins with `mysql:`"),
            ("file:florin.db", "begins with `file:`"),
            ("sqlite::memory:", ":memory:"),
            ("sqlite://:memory:", ":memory:"),
            (":memory:", ":memory:"),
            ("sqlite:florin.db?mode=memory", "no options"),
            ("sqlite://", "names no file"),
            ("", "names no file"),
        ] {
            let error = location(url).unwrap_err();
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("secret"));
        }
    }

    #[test]
    fn the_forms_of_a_postgres_url() {
        for url in ["postgres://localhost/florin", "postgresql:///florin", "Postgres://a:1,b:2/florin?x=y"] {
            assert_eq!(location(url), Err("a server".into()));
            assert_eq!(StoreSettings::at(url).readers, 8);
        }
        assert_eq!(StoreSettings::at("florin.db").readers, 4);
    }

    #[test]
    fn settings_do_not_print_the_url() {
        let printed = format!("{:?}", StoreSettings::at("postgres://me:secret@db"));
        assert!(printed.contains("postgres") && !printed.contains("secret"), "{printed}");
    }
}
