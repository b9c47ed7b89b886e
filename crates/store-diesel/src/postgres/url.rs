//! The URL of a PostgreSQL database: the defaults that are added, the URLs that are refused, and the parts that are
//! never shown.
//!
//! libpq reads the URL itself. Its error messages quote the part it can't read, which in a mistyped URL may be a
//! password. So a URL that libpq can't read is refused here, without a quotation.

use crate::schemes;
use florin_store_contract::{OpenError, StoreSettings};
use std::fmt;

/// Options of libpq that apply unless the URL sets them. The connection timeout is shorter than the time that a caller
/// waits.
const DEFAULTS: [(&str, &str); 6] = [
    ("connect_timeout", "2"),
    ("fallback_application_name", "florin"),
    ("keepalives_idle", "5"),
    ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "6000"),
];

/// A URL that libpq can read, and that uses unencrypted connections to other machines only on request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PostgresUrl {
    text: String,
    /// Passwords in the URL, as written and as decoded.
    secrets: Vec<String>,
}

/// The identity of a database. It never differs, because nobody can replace a database while it is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity;

/// Returns the identity of the database.
pub(crate) fn identify(_place: &PostgresUrl) -> Identity {
    Identity
}

/// Returns the database that the settings name.
pub(crate) fn place(settings: &StoreSettings) -> Result<PostgresUrl, OpenError> {
    if settings.has_scheme(schemes::POSTGRES) {
        PostgresUrl::parse(&settings.url)
    } else {
        Err(OpenError::WrongAdapter)
    }
}

/// The message for a URL that can't be read. It does not quote the URL, which may hold a password.
const UNREADABLE: &str = "the database URL can't be read: it must look like \
    postgres://user:password@host:5432/database, and special characters in it must be percent-encoded";

/// Returns the message for a URL that would reach another machine in plain text.
fn plain_text(host: &str) -> String {
    format!(
        "the database host {host} is not this machine, and this build has no TLS: build with the feature \
         `postgres-tls`, or add `sslmode=disable` to the database URL if the network is to be trusted"
    )
}

impl PostgresUrl {
    fn parse(url: &str) -> Result<Self, OpenError> {
        let parts = Parts::of(url).ok_or_else(|| OpenError::InvalidUrl(UNREADABLE.to_owned()))?;
        let remote = parts.remote_host();
        let mode = parts.value("sslmode");
        let has_tls = cfg!(feature = "postgres-tls");
        if let Some(host) = remote.as_ref().filter(|_| !has_tls && mode.as_deref() != Some("disable")) {
            return Err(OpenError::InvalidUrl(plain_text(host)));
        }
        let mut defaults = DEFAULTS.to_vec();
        if has_tls && remote.is_some() {
            defaults.push(("sslmode", "require"));
        }
        let mut text = url.to_owned();
        for (key, value) in defaults {
            if parts.value(key).is_none() {
                text.push(if text.contains('?') { '&' } else { '?' });
                text.extend([key, "=", value]);
            }
        }
        Ok(Self { text, secrets: parts.secrets() })
    }

    /// Returns the whole URL, for libpq alone.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Removes every password of this URL from a text of libpq.
    pub(super) fn redact(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"));
        hidden.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Shows nothing, because the URL may contain a password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresUrl").finish_non_exhaustive()
    }
}

/// A URL, split as libpq splits it.
struct Parts<'a> {
    password: Option<&'a str>,
    hosts: Vec<String>,
    options: Vec<(String, String)>,
}

impl<'a> Parts<'a> {
    /// Splits a URL. Returns `None` if libpq can't read it, or if something seems misplaced.
    fn of(url: &'a str) -> Option<Self> {
        let (_scheme, rest) = url.split_once("://")?;
        let (user, rest) = match rest.find(['@', '/']) {
            Some(at) if rest[at..].starts_with('@') => (Some(&rest[..at]), &rest[at + 1..]),
            _ => (None, rest),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        // These characters certainly belong to a password that is not percent-encoded.
        if authority.contains('@') || path.contains(['@', '/']) || url.contains(char::is_whitespace) {
            return None;
        }
        decoded(user.unwrap_or_default())?;
        decoded(path)?;
        let mut options = Vec::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=')?;
            options.push((decoded(key)?, decoded(value)?));
        }
        let hosts = authority.split(',').map(host).collect::<Option<_>>()?;
        Some(Self {
            password: user.and_then(|user| user.split_once(':')).map(|(_, password)| password),
            hosts,
            options,
        })
    }

    fn value(&self, key: &str) -> Option<String> {
        self.options.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    }

    /// Returns a host other than this machine, if the URL names one.
    fn remote_host(&self) -> Option<String> {
        let listed = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let named = self.value("hostaddr").or_else(|| self.value("host")).map(listed);
        let mut hosts = named.unwrap_or_else(|| self.hosts.clone());
        if hosts.iter().all(String::is_empty) {
            hosts = std::env::var("PGHOSTADDR").or_else(|_| std::env::var("PGHOST")).map(listed).unwrap_or_default();
        }
        // A service comes from a file that this program does not read.
        if self.value("service").is_some() || std::env::var_os("PGSERVICE").is_some() {
            hosts.push("(service)".to_owned());
        }
        hosts.into_iter().find(|host| !is_here(host))
    }

    fn secrets(&self) -> Vec<String> {
        let of_options = self.options.iter().filter(|(key, _)| key == "password" || key == "sslpassword");
        let mut secrets: Vec<_> = of_options.map(|(_, value)| value.clone()).collect();
        secrets.extend(self.password.map(str::to_owned));
        secrets.extend(self.password.and_then(decoded));
        secrets.retain(|secret| !secret.is_empty());
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }
}

/// Returns a host without its port, which must be a number.
fn host(text: &str) -> Option<String> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        (host, if port.is_empty() { "" } else { port.strip_prefix(':')? })
    } else {
        text.split_once(':').unwrap_or((text, ""))
    };
    (port.is_empty() || port.parse::<u16>().is_ok()).then(|| decoded(host)).flatten()
}

/// Whether a host is this machine: a loopback name or address, or a socket in the file system.
fn is_here(host: &str) -> bool {
    host.is_empty()
        || host.starts_with(['/', '@'])
        || host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Decodes percent signs. Returns `None` if they are not followed by two digits, or if the result is not UTF-8 or
/// contains NUL.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, following)) = rest.split_first() {
        if *first == b'%' {
            let digits = following.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().filter(|byte| *byte != 0)?);
            rest = &following[2..];
        } else {
            bytes.push(*first);
            rest = following;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> String {
        PostgresUrl::parse(url).unwrap_err().to_string()
    }

    #[test]
    fn libpq_gets_short_timeouts() {
        let url = PostgresUrl::parse("postgres://me@localhost/florin").unwrap();
        assert!(url.as_str().starts_with("postgres://me@localhost/florin?connect_timeout=2&"), "{}", url.as_str());
        for option in ["keepalives_idle=5", "keepalives_interval=2", "keepalives_count=3", "tcp_user_timeout=6000"] {
            assert!(url.as_str().contains(option), "{option} is not in {}", url.as_str());
        }
        let url = PostgresUrl::parse("postgres://me@localhost/florin?connect_timeout=9").unwrap();
        assert!(url.as_str().contains("connect_timeout=9&") && !url.as_str().contains("connect_timeout=2"));
    }

    #[test]
    fn local_connections_need_no_tls() {
        for url in [
            "postgres://",
            "postgresql://localhost",
            "postgres://me:secret@127.0.0.1:5432/florin",
            "postgres://me:se%2Fcret@[::1]:5432/florin",
            "postgres://LOCALHOST:1,127.9.9.9:2/florin?target_session_attrs=read-write",
            "postgres:///florin?host=/var/run/postgresql",
            "postgres://%2Ftmp%2Fsockets/florin",
        ] {
            assert!(PostgresUrl::parse(url).is_ok(), "{url}");
        }
    }

    #[cfg(not(feature = "postgres-tls"))]
    #[test]
    fn remote_connections_without_tls_must_be_requested() {
        for url in [
            "postgres://me:secret@db.example/florin",
            "postgres://me:secret@localhost,db.example/florin",
            "postgres://me:secret@localhost/florin?host=db.example",
            "postgres://me:secret@localhost/florin?hostaddr=192.0.2.1",
            "postgres://me:secret@db.example/florin?sslmode=prefer",
            "postgres://me:secret@db.example/florin?sslmode=disable&sslmode=prefer",
            "postgres:///florin?service=money",
        ] {
            let refusal = refusal(url);
            assert!(refusal.contains("TLS") && refusal.contains("sslmode=disable"), "{refusal}");
            assert!(!refusal.contains("secret"), "{refusal}");
        }
        assert!(PostgresUrl::parse("postgres://a.example:1,b.example:2/florin?sslmode=disable").is_ok());
    }

    #[test]
    fn invalid_urls_are_refused_without_being_quoted() {
        for url in [
            "postgres:me:secret",
            "postgres://me:sec@ret@localhost/florin",
            "postgres://me:sec/ret@localhost/florin",
            "postgres://me:sec%ret@localhost/florin",
            "postgres://me:sec ret@localhost/florin",
            "postgres://localhost:secret/florin",
            "postgres://localhost/florin?secret",
            "postgres://me:%00secret@localhost/florin",
        ] {
            let refusal = refusal(url);
            assert!(!refusal.contains("sec") && refusal.contains("percent"), "{url}: {refusal}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let url = PostgresUrl::parse("postgres://me:p%40ss@localhost/florin?password=other").unwrap();
        assert_eq!(url.redact("p%40ss p@ss\n\tother fine"), "*** *** *** fine");
        assert_eq!(format!("{url:?}"), "PostgresUrl { .. }");
    }
}
