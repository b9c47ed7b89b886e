//! The countries of ISO 3166 and their names, in the alphabetical order of each language. The names are from Unicode
//! CLDR 48 (licence Unicode-3.0). In the Welsh order, `ng` is a letter after `g` where it is one sound: in Hong Kong,
//! but not in Mongolia.

use crate::language::Language;

/// Returns the codes and names of all countries, in the alphabetical order of the language.
pub(crate) fn countries(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let list = match language {
        Language::English => include_str!("../assets/countries_english.txt"),
        Language::Welsh => include_str!("../assets/countries_welsh.txt"),
    };
    list.lines().filter_map(|line| line.split_once(' '))
}

/// Returns the name of a country, or its code if the country has no name.
pub(crate) fn country_name(language: Language, code: &str) -> &str {
    countries(language).find(|(known, _)| *known == code).map_or(code, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn both_lists_have_every_country() {
        let codes = Language::ALL.map(|language| countries(language).map(|(code, _)| code).collect::<BTreeSet<_>>());
        assert_eq!(codes[0], codes[1]);
        assert_eq!(codes[0].len(), 249);
        assert!(Language::ALL.iter().all(|language| countries(*language).all(|(_, name)| !name.trim().is_empty())));
        assert_eq!(country_name(Language::Welsh, "GB"), "Y Deyrnas Unedig");
        assert_eq!(country_name(Language::English, "XZ"), "XZ");
    }
}
