//! Parses settings from strings.

use super::LogFormat;
use super::Sourced;
use super::sources::Texts;
use crate::usage::UsageError;
use secrecy::SecretString;
use std::fmt::Display;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::EnvFilter;

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

    /// An integer in a range.
    pub(super) fn number<T>(&self, key: &str, default: T, range: RangeInclusive<T>) -> Result<T, UsageError>
    where
        T: Copy + Display + FromStr + PartialOrd,
    {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(key, default, |text| text.parse().ok().filter(|number| range.contains(number)), &allowed)
    }

    /// A number of seconds in a range.
    pub(super) fn seconds(&self, key: &str, default: u64, range: RangeInclusive<u64>) -> Result<Duration, UsageError> {
        self.number(key, default, range).map(Duration::from_secs)
    }

    /// The URL of the store, given directly or in a file. Its adapter checks it; an invalid one is never printed, because it may
    /// hold a password.
    pub(super) fn database_url(&self) -> Result<Sourced<SecretString>, UsageError> {
        let (text, source) = match (self.0.get("database_url"), self.0.get("database_url_file")) {
            (Some((_, source)), Some((_, other))) => {
                return Err(UsageError::new(format!("{source} and {other} are both set; use one of them")));
            }
            (None, None) => (DATABASE_URL.to_owned(), format!("the default database {DATABASE_URL}")),
            (Some((text, source)), None) => (text.clone(), source.clone()),
            (None, Some((path, source))) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| UsageError::new(format!("{source}: cannot read {path}: {error}")))?;
                (text.trim().to_owned(), source.clone())
            }
        };
        if text.trim().is_empty() {
            return Err(UsageError::new(format!("{source} must be a URL such as {DATABASE_URL} (got {text:?})")));
        }
        Ok(Sourced { value: text.into(), source })
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

/// Parses an absolute web address and removes its trailing slash.
pub(super) fn public_url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '\'' | '"' | '?' | '#' | '\\' | '`' | '$' | '<' | '>');
    let host = !rest.is_empty() && !rest.starts_with('/');
    (host && rest.chars().all(plain)).then(|| text.trim_end_matches('/').to_owned())
}

/// A log filter. A bare word must be a level: a misspelt level would silence the log.
pub(super) fn log_filter(text: &str) -> Option<String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let sound = |part: &str| part.contains(['=', '[']) || LEVELS.contains(&part.to_ascii_lowercase().as_str());
    (text.split(',').all(|part| sound(part.trim())) && EnvFilter::try_new(text).is_ok()).then(|| text.to_owned())
}

pub(super) fn log_format(text: &str) -> Option<LogFormat> {
    match text {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    }
}

/// Parses a limit, or `off` for none.
#[expect(clippy::option_option, reason = "the outer one says whether the text is valid, the inner one is the limit")]
pub(super) fn rate_limit(text: &str) -> Option<Option<NonZeroU32>> {
    if text == "off" { Some(None) } else { text.parse().ok().map(Some) }
}
