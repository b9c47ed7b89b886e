//! The report: the results of all checks.

use crate::check::Outcome;
use std::fmt;

/// Results of all checks. Displays one line per check and the totals.
#[derive(Clone, Debug, Default)]
pub struct Report {
    outcomes: Vec<(&'static str, Outcome)>,
}

impl Report {
    pub(crate) fn record(&mut self, name: &'static str, outcome: Outcome) {
        self.outcomes.push((name, outcome));
    }

    /// Returns whether no check failed. Skipped checks do not count as failures.
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// Returns the names of the failed checks.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        let failed = self.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
        failed.map(|(name, _)| *name)
    }

    /// Returns the names of the skipped checks.
    pub fn skipped(&self) -> impl Iterator<Item = &'static str> {
        let skipped = self.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Skipped(_)));
        skipped.map(|(name, _)| *name)
    }

    /// Asserts that no check failed.
    ///
    /// # Panics
    /// Panics with the complete report if a check failed.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "\n{self}\n");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in &self.outcomes {
            match outcome {
                Outcome::Kept => writeln!(f, "ok      {name}")?,
                Outcome::Failed(why) => writeln!(f, "FAILED  {name}: {why}")?,
                Outcome::Skipped(why) => writeln!(f, "skipped {name}: {why}")?,
            }
        }
        let (failed, skipped) = (self.failed().count(), self.skipped().count());
        write!(f, "{} kept, {failed} failed, {skipped} skipped", self.outcomes.len() - failed - skipped)
    }
}
