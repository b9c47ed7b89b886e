//! Guards cells that a spreadsheet would execute as a formula. A name that somebody typed must not run on the machine
//! of the person who opens a download, and a download must be a valid, unchanged upload.
//!
//! Such a cell is written with a leading apostrophe, which makes it text in every spreadsheet. The apostrophe is
//! removed when the cell is read.

use std::borrow::Cow;

const MARK: char = '\'';

/// Returns the cell to write for a value.
pub(crate) fn guarded(value: &str) -> Cow<'_, str> {
    if is_formula(value) { Cow::Owned(format!("{MARK}{value}")) } else { Cow::Borrowed(value) }
}

/// Returns the value of a cell.
pub(super) fn bare(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// Whether a value is a formula. Leading apostrophes are ignored: a guarded value is guarded again, so no value is
/// lost.
fn is_formula(value: &str) -> bool {
    value.trim_start_matches(MARK).starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_become_text() {
        for (value, cell) in
            [("=1+1", "'=1+1"), ("-5", "'-5"), ("'=x", "''=x"), ("'tis", "'tis"), ("a=b", "a=b"), ("", ""), ("'", "'")]
        {
            assert_eq!((guarded(value).as_ref(), bare(cell)), (cell, value));
        }
        // A download never writes these cells, so they are not changed.
        assert_eq!((bare("=x"), bare("'x")), ("=x", "'x"));
    }

    proptest! {
        #[test]
        fn guarded_text_round_trips(value in "['=+@\\-\t\r\nab]{0,5}") {
            let cell = guarded(&value);
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']));
            prop_assert_eq!(bare(&cell), value.as_str());
        }
    }
}
