//! Suggestions for misspelt words: "did you mean …?".

/// The candidate that a misspelt word most likely means, if any is close enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    // Allow one error in a short word, and errors in a third of the characters of a long one.
    let max = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= max)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint about an unknown word: the nearest candidate, or a list of all candidates. `plural` is the name of the
/// list, such as `settings`.
pub(crate) fn or_list(word: &str, plural: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("the {plural} are {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_candidate_is_suggested() {
        let words = ["listen", "log", "log_format", "cards:simulate:any"];
        for (typed, meant) in [
            ("listn", Some("listen")),
            ("LISTNE", Some("listen")),
            ("lgo", Some("log")),
            ("cards:simulat:any", Some("cards:simulate:any")),
            ("server", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
        assert_eq!(or_list("listn", "settings", &words), "did you mean `listen`?");
        assert!(or_list("server", "settings", &words).starts_with("the settings are listen, log, "));
    }
}
