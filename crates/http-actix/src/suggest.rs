//! Suggestions for misspelt names of columns and members: "did you mean …?".

/// Maximum length, in bytes, of a name that is compared with the known ones. A longer name gets no suggestion.
pub(crate) const MAX_NAME: usize = 64;

/// Returns the value whose name is nearest to a misspelt one, if any is near enough. Case and separators do not count,
/// and one typing error per three characters is allowed.
pub(crate) fn nearest<'n, T>(name: &str, known: impl IntoIterator<Item = (&'n str, T)>) -> Option<T> {
    if name.len() > MAX_NAME {
        return None;
    }
    let name = plain(name);
    let length = name.chars().count();
    let max = length / 3;
    let distance = |(known, value): (&str, T)| {
        let known = plain(known);
        // Names differ by at least the difference of their lengths.
        let is_comparable = known.chars().count().abs_diff(length) <= max;
        is_comparable.then(|| (strsim::damerau_levenshtein(&name, &known), value))
    };
    let near = known.into_iter().filter_map(distance).filter(|(distance, _)| *distance <= max);
    near.min_by_key(|(distance, _)| *distance).map(|(_, value)| value)
}

/// Returns the letters and digits of a name, in lower case.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let known = ["amount", "mid", "mcc", "accountIdentifier"].map(|name| (name, name));
        for (typed, meant) in [
            ("amuont", Some("amount")),
            ("Amount", Some("amount")),
            ("MID", Some("mid")),
            ("mic", Some("mid")),
            ("account_identifer", Some("accountIdentifier")),
            ("", None),
            ("$", None),
            ("x", None),
            ("currency", None),
            ("amount".repeat(11).as_str(), None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
