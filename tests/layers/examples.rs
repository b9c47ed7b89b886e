//! Finds decision functions of the domain without an example in their documentation.

/// Returns the public functions and methods called `decide` or `decide_…` whose documentation has no example.
pub(crate) fn missing_examples(path: &str, text: &str) -> Vec<String> {
    let mut missing = Vec::new();
    let mut has_example = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("///") {
            has_example |= line.starts_with("/// ```");
        } else if !line.starts_with("#[") {
            if let Some(name) = decision(line).filter(|_| !has_example) {
                missing.push(format!("{path}:{} {name} needs an example in its documentation", number + 1));
            }
            has_example = false;
        }
    }
    missing
}

/// Returns the name of the decision function that a line declares.
fn decision(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("pub ")?;
    let declared = declared.strip_prefix("const ").unwrap_or(declared).strip_prefix("fn ")?;
    let name = declared.split(['(', '<']).next()?;
    (name == "decide" || name.starts_with("decide_")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_without_an_example_is_found() {
        let error = |name: &str| vec![format!("a.rs:2 {name} needs an example in its documentation")];
        assert_eq!(missing_examples("a.rs", "/// Decides.\npub fn decide_it(a: u8) {}\n"), error("decide_it"));
        assert_eq!(missing_examples("a.rs", "/// Decides.\n    pub const fn decide<'a>() {}\n"), error("decide"));
        let of_another = "/// ```\npub fn helper() {}\npub fn decide_it() {}\n";
        assert_eq!(missing_examples("a.rs", of_another).len(), 1);
    }

    #[test]
    fn only_public_decisions_need_an_example() {
        let text = "/// Decides.\n///\n/// ```\n/// decide();\n/// ```\n#[must_use]\npub fn decide() {}\n";
        assert_eq!(missing_examples("a.rs", text), [""; 0]);
        assert_eq!(missing_examples("a.rs", "fn decide_it() {}\npub fn decider() {}\n"), [""; 0]);
    }
}
