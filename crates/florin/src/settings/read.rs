//! Parses settings from strings.

use super::LogFormat;
use super::Sourced;
use super::sources::{PREFIX, Texts, variable};
use crate::usage::UsageError;
use florin_secret_cipher::SecretKey;
use florin_store_contract::StoreSettings;
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::filter::Targets;

/// The default database: a file in the working directory.
const DATABASE_URL: &str = "sqlite://florin.db";

impl Texts {
    /// The value of a setting, or its default.
    pub(super) fn read<T>(
        &self,
        key: &str,
        default: T,
        read: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<T, UsageError> {
        Ok(self.optional(key, read, allowed)?.unwrap_or(default))
    }

    /// The value of a setting without a default.
    pub(super) fn optional<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Option<T>, UsageError> {
        let Some((text, source)) = self.0.get(key) else { return Ok(None) };
        let value = read(text).ok_or_else(|| UsageError::new(format!("{source} must be {allowed} (got {text:?})")))?;
        Ok(Some(value))
    }

    /// The value of an integer setting, or its default. A value outside the range is refused.
    pub(super) fn number<T>(&self, key: &str, default: T, range: RangeInclusive<T>) -> Result<T, UsageError>
    where
        T: Copy + Display + FromStr + PartialOrd,
    {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(key, default, |text| text.parse().ok().filter(|number| range.contains(number)), &allowed)
    }

    /// The value of a setting in whole seconds, or its default. A value outside the range is refused.
    pub(super) fn seconds(&self, key: &str, default: u64, range: RangeInclusive<u64>) -> Result<Duration, UsageError> {
        self.number(key, default, range).map(Duration::from_secs)
    }

    /// The text of a setting that is given directly or in a file. The source with the higher precedence counts.
    pub(super) fn direct_or_file(&self, direct: &str, file: &str) -> Result<Option<Sourced<SecretString>>, UsageError> {
        let rank = |source: &String| match source {
            flag if flag.starts_with("--") => 2,
            variable if variable.starts_with(PREFIX) => 1,
            _ => 0,
        };
        let (direct, file) = (self.0.get(direct), self.0.get(file));
        if let (Some((_, source)), Some((_, other))) = (direct, file)
            && rank(source) == rank(other)
        {
            return Err(UsageError::new(format!("{source} and {other} are both set; use one of them")));
        }
        let overridden = |source| file.is_some_and(|(_, other)| rank(other) > rank(source));
        if let Some((text, source)) = direct.filter(|(_, source)| !overridden(source)) {
            return Ok(Some(Sourced { value: text.clone().into(), source: source.clone() }));
        }
        let Some((path, source)) = file else { return Ok(None) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| UsageError::new(format!("{source}: cannot read {path}: {error}")))?;
        Ok(Some(Sourced { value: text.trim().to_owned().into(), source: source.clone() }))
    }

    /// The URL of the store. The adapter checks the URL. An invalid URL is never printed, because it may contain a
    /// password.
    pub(super) fn database_url(&self) -> Result<Sourced<SecretString>, UsageError> {
        let Some(url) = self.direct_or_file("database_url", "database_url_file")? else {
            let source = format!("the default database {DATABASE_URL}");
            return Ok(Sourced { value: DATABASE_URL.into(), source });
        };
        if url.value.expose_secret().trim().is_empty() {
            let Sourced { value, source } = url;
            let got = value.expose_secret();
            return Err(UsageError::new(format!("{source} must be a URL such as {DATABASE_URL} (got {got:?})")));
        }
        Ok(url)
    }

    /// A warning for each setting with URLs that has a password and is still an argument, which every user of the
    /// machine can read.
    pub(super) fn passwords_in_arguments(&self) -> impl Iterator<Item = String> {
        let shown = move |key: &str| {
            let (text, source) = self.0.get(key)?;
            (source.starts_with("--") && has_password(text)).then(|| {
                format!(
                    "{source} shows the password of the database in the list of processes; use {}_FILE",
                    variable(key)
                )
            })
        };
        ["database_url", "cells"].into_iter().filter_map(shown)
    }

    /// A key that encrypts secrets. It is never printed.
    pub(super) fn secret_key(&self, direct: &str, file: &str) -> Result<Option<Sourced<SecretKey>>, UsageError> {
        let Some(Sourced { value, source }) = self.direct_or_file(direct, file)? else { return Ok(None) };
        let text = value.expose_secret();
        let key = SecretKey::parse(text).ok_or_else(|| {
            UsageError::new(format!(
                "{source} must be a key of 64 hexadecimal digits, such as `openssl rand -hex 32` prints \
                (got {} characters)",
                text.chars().count()
            ))
        })?;
        Ok(Some(Sourced { value: key, source }))
    }

    /// The value of a setting without a default, with its source.
    pub(super) fn sourced<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Option<Sourced<T>>, UsageError> {
        let value = self.optional(key, read, allowed)?;
        let source = self.0.get(key).map(|(_, source)| source.clone()).unwrap_or_default();
        Ok(value.map(|value| Sourced { value, source }))
    }
}

/// Whether these URLs, which are separated by spaces, may have a password: before a host, or as a parameter. A mistyped
/// password may contain any character, so every `@` after a colon counts.
pub(crate) fn has_password(urls: &str) -> bool {
    let without_schemes = urls.replace("://", " ");
    let after_colon = without_schemes.split_once(':').map_or("", |(_, rest)| rest);
    after_colon.contains('@') || urls.contains("password=")
}

/// The text shown for a URL that can't be split: any part of it may be a password.
const UNKNOWN: &str = "?";

/// A URL for people: without user, password and parameters.
pub(crate) fn without_password(url: &str) -> String {
    let shown = match StoreSettings::at(url).scheme() {
        // The path of a file may contain any character.
        Some(scheme) if scheme.eq_ignore_ascii_case("sqlite") => Some(url.to_owned()),
        Some(_) => place(url),
        None => (!has_password(url)).then(|| url.to_owned()),
    };
    shown.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The scheme, hosts and path of the URL of a server, which is split as libpq splits it. `None` if a part could belong
/// to a password.
fn place(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let rest = match rest.split_once(['@', '/']) {
        Some((user, place)) if rest[user.len()..].starts_with('@') => place,
        _ => rest,
    };
    let place = rest.split('?').next().unwrap_or_default();
    let (hosts, path) = place.split_once('/').unwrap_or((place, ""));
    let is_plain = !hosts.contains('@') && !path.contains(['@', '/']) && !url.contains(char::is_whitespace);
    (is_plain && hosts.split(',').all(is_host)).then(|| format!("{scheme}://{place}"))
}

/// Whether a text is a host, whose port must be a number.
fn is_host(text: &str) -> bool {
    let after = match text.strip_prefix('[') {
        Some(address) => address.split_once(']').map(|(_, port)| port),
        None => Some(text.find(':').map_or("", |colon| &text[colon..])),
    };
    after.is_some_and(|port| port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok()))
}

/// Parses an absolute web address and removes its trailing slash.
pub(super) fn public_url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '\'' | '"' | '?' | '#' | '\\' | '`' | '$' | '<' | '>');
    let host = !rest.is_empty() && !rest.starts_with('/');
    (host && rest.chars().all(plain)).then(|| text.trim_end_matches('/').to_owned())
}

/// Parses the origins of web pages, separated by commas. An origin must be written as browsers send it.
pub(super) fn origins(text: &str) -> Option<Vec<String>> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let is_origin = |origin: &str| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| !host.is_empty() && host.chars().all(is_plain))
    };
    let origins: Vec<_> = text.split(',').map(|origin| origin.trim().to_owned()).collect();
    origins.iter().all(|origin| is_origin(origin)).then_some(origins)
}

/// Parses networks, separated by commas. An empty text is an empty list.
pub(super) fn networks(text: &str) -> Option<Vec<IpNet>> {
    let networks = text.split(',').map(str::trim).filter(|network| !network.is_empty());
    networks.map(|network| network.parse().ok()).collect()
}

/// Parses a log filter. A bare word must be a level, because a misspelt level would silence the log.
pub(super) fn log_filter(text: &str) -> Option<Targets> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    let is_sound = |part: &&str| part.contains('=') || LEVELS.contains(&part.to_ascii_lowercase().as_str());
    if parts.iter().all(is_sound) { parts.join(",").parse().ok() } else { None }
}

pub(super) fn log_format(text: &str) -> Option<LogFormat> {
    match text {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    }
}

/// Parses a number of requests per second from 1, or `off` for no limit.
#[expect(clippy::option_option, reason = "the outer one says whether the text is valid, the inner one is the limit")]
pub(super) fn rate_limit(text: &str) -> Option<Option<NonZeroU32>> {
    if text == "off" { Some(None) } else { text.parse().ok().map(Some) }
}
