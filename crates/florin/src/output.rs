//! Output for people and scripts: results on stdout, errors on stderr. Logs are separate.

use anyhow::Context;
use serde::Serialize;
use std::io::{self, Write};

/// Prints a line of text. A reader that closed the pipe is not an error.
pub(crate) fn line(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write to stdout"),
        _ => Ok(()),
    }
}

/// Prints a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string(value).context("cannot write the result as JSON")?)
}

/// Prints a value as JSON, or the text that describes it.
pub(crate) fn print_json_or_text(
    as_json: bool,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    if as_json { json(value) } else { line(&text()) }
}

/// JSON representation of an error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    error: &'a str,
    exit_code: u8,
}

/// Prints a failure on stderr, as text or as one line of JSON. A closed stderr is ignored, because it can't be
/// reported.
pub(crate) fn fail(as_json: bool, message: &str, exit_code: u8) {
    let json = as_json.then(|| serde_json::to_string(&Failure { error: message, exit_code }).ok()).flatten();
    let _gone = writeln!(io::stderr().lock(), "{}", json.unwrap_or_else(|| format!("florin: {message}")));
}

/// JSON representation of a list.
#[derive(Serialize)]
pub(crate) struct Rows<T> {
    /// The rows.
    pub(crate) rows: Vec<T>,
}

/// A table with aligned columns.
pub(crate) fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = heads.map(|head| head.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let print = |cells: [&str; N]| {
        let padded: Vec<_> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![print(heads)];
    lines.extend(rows.iter().map(|row| print(row.each_ref().map(String::as_str))));
    lines.join("\n")
}

/// Names and values, aligned.
pub(crate) fn pairs(facts: &[[String; 2]]) -> String {
    let width = facts.iter().map(|[name, _]| name.chars().count()).max().unwrap_or(0);
    facts.iter().map(|[name, value]| format!("  {name:width$}  {value}")).collect::<Vec<_>>().join("\n")
}

/// `yes` or `no`.
pub(crate) const fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Joins strings into one table cell; `-` if there are none.
pub(crate) fn listed(texts: &[String]) -> String {
    if texts.is_empty() { "-".to_owned() } else { texts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters() {
        let rows = [["ä".to_owned(), "1".to_owned()], ["long".to_owned(), String::new()]];
        assert_eq!(table(["ID", "N"], &rows), "ID    N\nä     1\nlong");
    }
}
