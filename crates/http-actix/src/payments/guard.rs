//! Cells that a spreadsheet would take for a formula. What a stranger typed as a name must not run on the machine of whoever
//! opens a download; and what was written by a download must come back the same by an upload.
//!
//! So an apostrophe is put before such a cell, which makes it text in every spreadsheet, and taken off again.

use std::borrow::Cow;

const MARK: char = '\'';

/// The cell as it is written.
pub(super) fn guarded(value: &str) -> Cow<'_, str> {
    if is_formula(value) { Cow::Owned(format!("{MARK}{value}")) } else { Cow::Borrowed(value) }
}

/// The value of a cell as it is read.
pub(super) fn bare(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// Apostrophes before it do not count, so that a guarded value is guarded again, and nothing is ever lost.
fn is_formula(value: &str) -> bool {
    value.trim_start_matches(MARK).starts_with(['=', '+', '-', '@', '\t', '\r'])
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
        // Nobody's download, so nothing to take off.
        assert_eq!((bare("=x"), bare("'x")), ("=x", "'x"));
    }

    proptest! {
        #[test]
        fn what_is_guarded_comes_back(value in "['=+@\\-\t\rab]{0,5}") {
            let cell = guarded(&value);
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
            prop_assert_eq!(bare(&cell), value.as_str());
        }
    }
}
