//! The steps of every command that is recorded under an idempotency key.

use super::body::errors::corrupt;
use super::body::footprint::Footprint;
use super::body::working_set::{Records, WorkingSet};
use super::command::Command;
use florin_ports::{DryRun, IdempotencyClaim, Mode, WriteError, Written};

/// A command that is recorded under an idempotency key. Its steps are in one place, the implementation of [`Command`]:
/// find the record, decide, render the answer, stage, record.
pub(crate) trait RecordedCommand: Send + 'static {
    /// The result that the caller receives.
    type Done: Send + 'static;
    /// The decision of the rule.
    type Decision;
    /// The refusals of the rule.
    type Refused: Send + 'static;

    /// Adds the keys of the rows that the rule reads and the decision changes.
    fn add_to_footprint(&self, footprint: &mut Footprint);

    /// Whether it is a dry run.
    fn mode(&self) -> Mode {
        Mode::Commit
    }

    /// The idempotency claim, if the caller made one.
    fn claim(&self) -> Option<&IdempotencyClaim<Self::Done>>;

    /// Calls the rule on the working set, as the earlier commands of the group left it.
    fn decision(&self, working_set: &WorkingSet) -> Result<Self::Decision, WriteError<Self::Refused>>;

    /// Returns the result that the caller receives from a decision; `None` if the decision is a refusal.
    fn done(decision: &Self::Decision) -> Option<&Self::Done>;

    /// Stages what a decision stores.
    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: Self::Decision,
    ) -> Result<Self::Done, WriteError<Self::Refused>>;

    /// Returns what a decision would store. The default is for commands without a dry run.
    fn dry_run(_decision: Self::Decision) -> Result<DryRun<Self::Done>, WriteError<Self::Refused>> {
        Err(corrupt("this command has no dry run").into())
    }
}

impl<C: RecordedCommand> Command for C {
    type Done = Written<C::Done>;
    type Refused = C::Refused;

    fn footprint(&self, footprint: &mut Footprint) {
        self.add_to_footprint(footprint);
        if self.mode() == Mode::Commit {
            footprint.record(self.claim());
        }
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<C::Refused>> {
        if self.mode() == Mode::DryRun {
            let dry_run = C::dry_run(self.decision(working_set)?)?;
            return Ok(Written::DryRun(Box::new(dry_run)));
        }
        if let Some(answer) = working_set.records.find(self.claim())? {
            return Ok(Written::Replayed(answer));
        }
        let done = decide_and_stage(self, working_set);
        if matches!(done, Err(WriteError::Refused(_) | WriteError::Absent)) {
            working_set.records.add_refusal(self.claim());
        }
        done.map(Written::New)
    }
}

/// Decides, renders the answer, and stages both.
fn decide_and_stage<C: RecordedCommand>(
    command: &C,
    working_set: &mut WorkingSet,
) -> Result<C::Done, WriteError<C::Refused>> {
    let decision = command.decision(working_set)?;
    // Rendering the answer may panic, so it comes before anything is staged.
    let record = match C::done(&decision) {
        Some(done) => Records::new_record(command.claim(), done)?,
        None => None,
    };
    let done = command.stage(working_set, decision)?;
    working_set.records.add(record);
    Ok(done)
}
