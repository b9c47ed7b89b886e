//! The file that a database URL names.

use crate::schemes;
use florin_store_contract::{OpenError, StoreSettings};
use std::path::PathBuf;

/// The address of a database: its file.
pub(crate) type Place = PathBuf;

/// The identity of a file: its device and its inode number. `None`: there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(Option<(u64, u64)>);

/// Returns the identity of the file that is at this place now. Another file may be put there while the old one is open.
pub(crate) fn identify(place: &Place) -> Identity {
    let metadata = std::fs::metadata(place).ok();
    #[cfg(unix)]
    let numbers = |metadata: std::fs::Metadata| {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let numbers = |_| (0, 0);
    Identity(metadata.map(numbers))
}

/// Returns the file that the settings name.
pub(crate) fn place(settings: &StoreSettings) -> Result<Place, OpenError> {
    let invalid = |reason: &str| Err(OpenError::InvalidUrl(reason.to_owned()));
    let path = match settings.scheme() {
        None => settings.url.as_str(),
        Some(_) if !settings.has_scheme(schemes::SQLITE) => return Err(OpenError::WrongAdapter),
        Some(_) if settings.url.contains('?') => {
            return invalid("a `sqlite:` URL takes no options: remove what follows the `?`");
        }
        Some(scheme) => {
            let rest = &settings.url[scheme.len() + 1..];
            rest.strip_prefix("//").unwrap_or(rest)
        }
    };
    match path {
        "" => invalid("the database URL names no file"),
        ":memory:" => {
            invalid("`:memory:` can't be used: each connection would have a database of its own; name a file")
        }
        path => Ok(PathBuf::from(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(url: &str) -> Result<PathBuf, String> {
        place(&StoreSettings::at(url)).map_err(|error| error.to_string())
    }

    #[test]
    fn valid_sqlite_urls() {
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
    fn invalid_sqlite_urls_are_refused() {
        for (url, reason) in [
            ("mysql://root:secret@db/florin", "another kind"),
            ("postgres://me:secret@db/florin", "another kind"),
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
}
