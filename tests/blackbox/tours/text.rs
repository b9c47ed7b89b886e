//! The text of a tour: its shell blocks, and the outputs that the page shows.

use std::ops::Range;

use uuid::Uuid;

/// A shell block, with the output that the page shows for it.
pub(crate) struct Block {
    /// The number of its first line, from 1.
    pub(crate) line: usize,
    pub(crate) script: String,
    pub(crate) output: Option<Shown>,
}

/// An output that the page shows.
pub(crate) struct Shown {
    pub(crate) text: String,
    /// The range of its lines, from 0.
    pub(crate) lines: Range<usize>,
}

/// Returns the blocks marked `sh`. The output of a block is the next block, if that has another mark and no heading is
/// between the two.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<_> = text.lines().collect();
    let mut found: Vec<Block> = Vec::new();
    let mut waits_for_output = false;
    let mut index = 0;
    while index < lines.len() {
        let Some(language) = lines[index].strip_prefix("```") else {
            waits_for_output &= !lines[index].starts_with('#');
            index += 1;
            continue;
        };
        let start = index + 1;
        let end = start + lines[start..].iter().position(|line| *line == "```").expect("a block does not end");
        let text = lines[start..end].join("\n");
        if language == "sh" {
            found.push(Block { line: start + 1, script: text, output: None });
            waits_for_output = true;
        } else if waits_for_output {
            found.last_mut().unwrap().output = Some(Shown { text, lines: start..end });
            waits_for_output = false;
        }
        index = end + 1;
    }
    found
}

/// Returns the lines of an output. If `normalised`, ids and times that the page cannot know are replaced.
pub(crate) fn comparable(text: &str, normalised: bool) -> Vec<String> {
    let lines = text.trim_end().lines().map(str::trim_end);
    lines.map(|line| if normalised { without_ids_and_times(line) } else { line.to_owned() }).collect()
}

/// Replaces ids, times, dates and secrets with their kind. Ids of the demo data stay, because they are the same
/// everywhere.
fn without_ids_and_times(line: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_');
    let mut result = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        result.push_str(&rest[..start]);
        result.push_str(kind(&rest[start..end]));
        rest = &rest[end..];
    }
    result + rest
}

/// Returns the kind of a value that varies, such as `<time>`; any other word is returned unchanged.
fn kind(word: &str) -> &str {
    let shape: String = word.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    match shape.as_str() {
        "9999-99-99T99:99:99Z" => "<time>",
        "9999-99-99" => "<date>",
        _ if Uuid::try_parse(word).is_ok() && !word.starts_with("0198c0de-") => "<id>",
        _ if word.starts_with("florin_sandbox_") && !word.starts_with("florin_sandbox_de3") => "<key>",
        _ => word,
    }
}

#[test]
fn blocks_are_found_with_their_outputs() {
    let page = "```\nnot run\n```\n# One\n```sh\necho 1\n```\n\n\
        ```json\n1\n```\n```sh\ntrue\n```\n# Two\n```\nnot its output\n```";
    let found = blocks(page);
    let shown = |index: usize| found[index].output.as_ref().map(|shown| shown.text.as_str());
    assert_eq!((found.len(), found[0].script.as_str(), found[0].line), (2, "echo 1", 6));
    assert_eq!((shown(0), shown(1)), (Some("1"), None));
}

#[test]
fn values_that_vary_are_normalised() {
    let line = concat!(
        r#"{"id":"01a1ff78-9b69-75ce-bffb-88052593b720","at":"2026-11-21T18:57:36Z","#,
        r#""day":"2026-11-21","amount":"3.00"}"#
    );
    assert_eq!(comparable(line, true), [r#"{"id":"<id>","at":"<time>","day":"<date>","amount":"3.00"}"#]);
    assert_eq!(comparable(line, false), [line]);
    let demo = r#"["0198c0de-0006-7000-8000-000000000001"]"#;
    assert_eq!(comparable(demo, true), [demo]);
}
