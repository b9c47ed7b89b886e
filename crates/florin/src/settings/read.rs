//! From texts to values.

use super::LogFormat;
use super::sources::Texts;
use crate::usage::UsageError;
use secrecy::SecretString;
use std::fmt::Display;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::EnvFilter;

/// A file beside where the program runs.
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

    /// The value of a setting that need not be set.
    pub(super) fn optional<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<Option<T>, UsageError> {
        let Some((text, place)) = self.0.get(key) else { return Ok(None) };
        let value = read(text).ok_or_else(|| UsageError::new(format!("{place} is {text:?}: {allowed} is wanted")))?;
        Ok(Some(value))
    }

    /// A whole number in a range.
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

    /// The URL of the store. Its adapter judges it; a wrong one is never printed, because it may hold a password.
    pub(super) fn database_url(&self) -> Result<SecretString, UsageError> {
        match self.0.get("database_url") {
            None => Ok(DATABASE_URL.into()),
            Some((text, place)) if text.trim().is_empty() => {
                Err(UsageError::new(format!("{place} is empty: a URL such as {DATABASE_URL} is wanted")))
            }
            Some((text, _)) => Ok(text.as_str().into()),
        }
    }
}

/// An absolute web address, without the slash at its end.
pub(super) fn public_url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '\'' | '"' | '?' | '#' | '\\' | '`' | '$' | '<' | '>');
    let host = !rest.is_empty() && !rest.starts_with('/');
    (host && rest.chars().all(plain)).then(|| text.trim_end_matches('/').to_owned())
}

/// A log filter. A bare word must be a level, or a misspelt level would silence the log.
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

/// `off` is no limit.
#[expect(clippy::option_option, reason = "the outer one is whether the text is sound, the inner one the limit")]
pub(super) fn rate_limit(text: &str) -> Option<Option<NonZeroU32>> {
    if text == "off" { Some(None) } else { text.parse().ok().map(Some) }
}
