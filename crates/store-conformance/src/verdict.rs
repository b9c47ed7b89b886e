//! The results of all checks.

use crate::check::Outcome;
use std::fmt;

/// The results of all checks. Prints a line a check, and a count.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    notes: Vec<(&'static str, Outcome)>,
}

impl Verdict {
    pub(crate) fn note(&mut self, name: &'static str, outcome: Outcome) {
        self.notes.push((name, outcome));
    }

    /// Whether no check failed. (Some may have been skipped.)
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The names of the checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        let failed = self.notes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
        failed.map(|(name, _)| *name)
    }

    /// The names of the checks that were skipped.
    pub fn skipped(&self) -> impl Iterator<Item = &'static str> {
        let skipped = self.notes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Skipped(_)));
        skipped.map(|(name, _)| *name)
    }

    /// Expects that no check failed.
    ///
    /// # Panics
    /// When one did, with the whole verdict.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "\n{self}\n");
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in &self.notes {
            match outcome {
                Outcome::Kept => writeln!(f, "ok      {name}")?,
                Outcome::Failed(why) => writeln!(f, "FAILED  {name}: {why}")?,
                Outcome::Skipped(why) => writeln!(f, "skipped {name}: {why}")?,
            }
        }
        let (failed, skipped) = (self.failed().count(), self.skipped().count());
        write!(f, "{} kept, {failed} failed, {skipped} skipped", self.notes.len() - failed - skipped)
    }
}
