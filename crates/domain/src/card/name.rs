//! Names of cards.

use crate::fault::Flaw;
use crate::text::Text;
use std::collections::BTreeSet;

/// The name of a card: 1 to 21 characters, the maximum that fits on a card. Its Latin letters have no diacritics.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CardName(String);

impl CardName {
    /// Maximum number of characters of a name.
    pub const MAX: usize = 21;

    /// Removes the diacritics of a text of 1 to 255 characters, and cuts it to 21 characters. A text that consists of
    /// combining marks only is `invalid_format`.
    ///
    /// ```
    /// use florin_domain::card::CardName;
    ///
    /// let name = |text| CardName::parse(text).unwrap().into_string();
    /// assert_eq!(name("Zoë Müller-Straße"), "Zoe Muller-Strasse");
    /// assert_eq!(name("Marketing Department Łódź"), "Marketing Department ");
    /// assert_eq!(name("日本 café"), "日本 cafe");
    /// ```
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let text = Text::<1, 255>::parse(text)?;
        let name: String = without_diacritics(text.as_str()).chars().take(Self::MAX).collect();
        if name.is_empty() { Err(Flaw::format("must contain a letter or digit")) } else { Ok(Self(name)) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, owned.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// A search for cards by the start of a word of their name, or by their last four digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSearch(String);

impl CardSearch {
    /// Parses a search of 1 to 100 characters. Case and diacritics are ignored.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        Text::<1, 100>::parse(text).map(|text| Self(without_diacritics(text.as_str()).to_lowercase()))
    }

    /// The prefix that one of the card's [`search_words`] must have.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The texts that a search compares by prefix: the name from the start of each word, in lower case, and the last four
/// digits.
pub fn search_words(name: &str, last_four: &str) -> BTreeSet<String> {
    let name = without_diacritics(name).to_lowercase();
    let starts = [0].into_iter().chain(name.match_indices(' ').map(|(space, _)| space + 1));
    let words = starts.map(|start| name[start..].to_owned()).filter(|word| !word.is_empty());
    words.chain([last_four.to_owned()]).collect()
}

/// Replaces Latin letters with diacritics by the nearest English letters, and drops combining marks.
fn without_diacritics(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{300}'..='\u{36f}' => {}
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => match deunicode::deunicode_char(letter) {
                Some(english) => flat.push_str(english),
                None => flat.push(letter),
            },
            other => flat.push(other),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;

    #[test]
    fn diacritics_are_removed_before_the_name_is_cut() {
        let name = |text: &str| CardName::parse(text).map(CardName::into_string).map_err(|flaw| flaw.code);
        assert_eq!(name("Zoe\u{308} Ærø ǅ Ṩ ñ"), Ok("Zoe AEro Dz S n".to_owned()));
        assert_eq!(name(&"ß".repeat(11)), Ok("s".repeat(21)));
        assert_eq!(name("\u{301}"), Err(FlawCode::InvalidFormat));
        assert_eq!(name(""), Err(FlawCode::InvalidFormat));
        assert_eq!(name("a\0"), Err(FlawCode::InvalidFormat));
        assert_eq!(name(&"x".repeat(256)), Err(FlawCode::TooLong));
    }

    #[test]
    fn a_card_is_found_by_the_start_of_each_word_and_by_its_digits() {
        let words = search_words("Team  Party", "0042");
        assert_eq!(words.iter().map(String::as_str).collect::<Vec<_>>(), [" party", "0042", "party", "team  party"]);
        assert_eq!(CardSearch::parse("PÄRTY").unwrap().as_str(), "party");
    }
}
