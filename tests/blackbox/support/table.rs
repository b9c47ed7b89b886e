//! Tables of invalid input: every row is tested, and all failures are reported together.

use super::assert::compare_faults;
use super::client::Answer;

/// One row: a name, the status, and exactly the expected faults.
pub(crate) struct Row<'a> {
    pub(crate) name: String,
    pub(crate) status: u16,
    pub(crate) faults: Vec<(&'a str, &'a str)>,
}

/// Returns a row with one fault and status 400.
pub(crate) fn bad<'a>(name: impl Into<String>, path: &'a str, code: &'a str) -> Row<'a> {
    Row { name: name.into(), status: 400, faults: vec![(path, code)] }
}

/// The failures of a table.
#[derive(Default)]
pub(crate) struct Table {
    tested: usize,
    failed: Vec<String>,
}

impl Table {
    /// Compares an answer with its row.
    pub(crate) fn check(&mut self, row: &Row<'_>, answer: &Answer) {
        self.tested += 1;
        if let Err(why) = compare_faults(answer, row.status, &row.faults) {
            self.failed.push(format!("{}: {why}", row.name));
        }
    }

    /// Records an answer that must have this status.
    pub(crate) fn check_status(&mut self, name: &str, status: u16, answer: &Answer) {
        self.tested += 1;
        if answer.status != status {
            self.failed.push(format!("{name}: expected status {status}, got {answer:?}"));
        }
    }

    /// Records a comparison of two texts.
    pub(crate) fn check_text(&mut self, name: &str, actual: &str, expected: &str) {
        self.tested += 1;
        if actual != expected {
            self.failed.push(format!("{name}: expected {expected}, got {actual}"));
        }
    }

    /// Fails if a row failed, or if fewer than `min` rows were tested.
    pub(crate) fn assert_passed(self, min: usize) {
        let failed = self.failed.len();
        assert!(failed == 0, "{failed} of {} failed:\n{}", self.tested, self.failed.join("\n"));
        assert!(self.tested >= min, "tested only {} of at least {min} rows", self.tested);
    }
}
