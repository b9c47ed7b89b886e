//! Changes with a rule that run outside groups, each with its own transaction and working set.

use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop};
use super::body::footprint::Footprint;
use super::body::working_set::{Records, WorkingSet};
use florin_ports::{DryRun, IdempotencyClaim, Mode, WriteError, Written};

/// Locks and loads a footprint. Runs the work unless the claim already has an answer, and stores the changes and the
/// answer.
pub(crate) fn under_claim<T, R>(
    conn: &mut Conn,
    mut footprint: Footprint,
    claim: Option<&IdempotencyClaim<T>>,
    work: impl FnOnce(&mut Conn, &mut WorkingSet) -> Result<T, Stop<WriteError<R>>>,
) -> Result<Written<T>, Stop<WriteError<R>>> {
    footprint.record(claim);
    let mut working_set = WorkingSet::load(conn, &footprint)?;
    if let Some(answer) = working_set.records.find(claim)? {
        return Ok(Written::Replayed(answer));
    }
    let done = match work(conn, &mut working_set) {
        Ok(done) => done,
        Err(Stop::Answer(refusal)) => {
            working_set.records.add_refusal(claim);
            working_set.records.check_refusals(conn)?;
            return Err(Stop::Answer(refusal));
        }
        Err(failure) => return Err(failure),
    };
    let record = Records::new_record(claim, &done)?;
    working_set.records.add(record);
    working_set.store(conn)?;
    Ok(Written::New(done))
}

/// Locks and loads a footprint, and decides in the mode of the command. A dry run ends with the decision. Otherwise
/// [`under_claim`] runs `decide` and `store`. `decide` also returns what `store` needs besides the decision.
pub(crate) fn decide_in_mode<S, D: Into<DryRun<T>>, T, R>(
    conn: &mut Conn,
    footprint: Footprint,
    mode: Mode,
    claim: Option<&IdempotencyClaim<T>>,
    decide: impl FnOnce(&mut Conn, &WorkingSet) -> Result<(S, D), Stop<WriteError<R>>>,
    store: impl FnOnce(&mut Conn, &mut WorkingSet, S, D) -> Outcome<T>,
) -> Result<Written<T>, Stop<WriteError<R>>> {
    if mode == Mode::DryRun {
        let working_set = WorkingSet::load(conn, &footprint)?;
        let (_, decision) = decide(conn, &working_set)?;
        return Ok(Written::DryRun(Box::new(decision.into())));
    }
    under_claim(conn, footprint, claim, |conn, working_set| {
        let (situation, decision) = decide(conn, working_set)?;
        Ok(store(conn, working_set, situation, decision)?)
    })
}
