//! Texts with length limits.

use crate::fault::{Flaw, FlawCode};
use std::borrow::Cow;

/// A text of `MIN` to `MAX` characters (not bytes), without NUL.
///
/// NUL is not allowed, because some stores cannot store it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Parses a text: checks its length, and that it contains no NUL.
    pub fn parse(value: impl Into<String>) -> Result<Self, Flaw> {
        let value = value.into();
        if value.contains('\0') {
            return Err(Flaw::format("must not contain the NUL character"));
        }
        let length = value.chars().count();
        if length < MIN {
            return Err(Flaw::format(if MIN == 1 {
                Cow::Borrowed("must not be empty")
            } else {
                Cow::Owned(format!("must be at least {MIN} characters (got {length})"))
            }));
        }
        if length > MAX {
            return Err(Flaw::new(FlawCode::TooLong, format!("must be at most {MAX} characters (got {length})")));
        }
        Ok(Self(value))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text as an owned string.
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_characters() {
        assert!(Text::<1, 3>::parse("äöü").is_ok());
        assert_eq!(Text::<1, 3>::parse("abcd").unwrap_err().code, FlawCode::TooLong);
        assert_eq!(Text::<1, 3>::parse("").unwrap_err().code, FlawCode::InvalidFormat);
        assert_eq!(Text::<1, 3>::parse("a\0").unwrap_err().code, FlawCode::InvalidFormat);
    }
}
