//! Protects against values that a spreadsheet would execute as formulas. A value in a payment must not run as code on
//! the machine of the person who opens a download. Yet a download must be a valid upload with unchanged values.
//!
//! A cell with a formula is written with a leading apostrophe, which makes it text in every spreadsheet. The apostrophe
//! is removed when the cell is read.

use std::borrow::Cow;

const MARK: char = '\'';

/// Returns the text of a cell for a value.
pub(crate) fn guarded(value: &str) -> Cow<'_, str> {
    if is_formula(value) { Cow::Owned(format!("{MARK}{value}")) } else { Cow::Borrowed(value) }
}

/// Returns the value of a cell. Reverses [`guarded`].
pub(super) fn unguarded(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// Whether a spreadsheet would execute a value as a formula. Leading apostrophes are ignored, so that a value that
/// looks guarded is guarded again, and reading returns it unchanged.
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
            assert_eq!((guarded(value).as_ref(), unguarded(cell)), (cell, value));
        }
        // A download never contains these cells, so reading does not change them.
        assert_eq!((unguarded("=x"), unguarded("'x")), ("=x", "'x"));
    }

    proptest! {
        #[test]
        fn guarded_text_round_trips(value in "['=+@\\-\t\r\nab]{0,5}") {
            let cell = guarded(&value);
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']));
            prop_assert_eq!(unguarded(&cell), value.as_str());
        }
    }
}
