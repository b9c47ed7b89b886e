//! Locales of payment pages.

use crate::fault::Flaw;

/// A language with an optional script and region, such as `en-GB` or `zh-Hant-TW`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Locale(String);

impl Locale {
    /// Parses a locale: a language of 2 or 3 letters, optionally a script of 4 letters, and optionally a region of 2
    /// letters or 3 digits.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let mut parts = text.split('-').peekable();
        let has_language = parts.next().is_some_and(|part| (2..=3).contains(&part.len()) && is_letters(part));
        let _script = parts.next_if(|part| part.len() == 4 && is_letters(part));
        let _region = parts.next_if(|part| match part.len() {
            2 => is_letters(part),
            3 => part.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        });
        if has_language && parts.next().is_none() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::format("must be a locale such as en, en-GB or zh-Hant-TW"))
        }
    }

    /// Creates a locale from stored text, which was checked before.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the locale as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the locale as an owned string.
    pub fn into_string(self) -> String {
        self.0
    }
}

fn is_letters(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_has_a_language_a_script_and_a_region() {
        for good in ["en", "gsw", "en-GB", "es-419", "zh-Hant", "zh-Hant-TW", "CY-gb", "sr-Latn-688"] {
            assert_eq!(Locale::parse(good).unwrap().as_str(), good);
        }
        for wrong in ["", "e", "engl", "en-", "en_GB", "en-G", "en-GBR", "en-GB-Latn", "en-41", "12", "en-GB ", "é9"] {
            assert!(Locale::parse(wrong).is_err(), "{wrong}");
        }
    }
}
