//! Decides about disputes, and stores the decisions.
//!
//! Everything is decided under the lock of the balance that the disputed message moved. The row of the dispute is
//! locked after that balance.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Failure, Outcome, Stop};
use super::body::footprint::Footprint;
use super::body::statements::{insert, load, update};
use super::body::tables::disputes::{DisputeChange, DisputeRow, LockedDisputes, disputes};
use super::body::types::{Account, Id};
use super::body::working_set::WorkingSet;
use super::rows::{evidence_from, with_evidence};
use diesel::prelude::*;
use florin_domain::card::Dispute;
use florin_domain::card::decide::{
    DisputeDecision, DisputeDone, DisputeRefusal, DisputeSituation, OpenDisputeSituation,
};
use florin_domain::ids::TransactionToken;
use florin_ports::{DisputeCommand, OpenDisputeCommand, WriteError};

type Refused = Stop<WriteError<DisputeRefusal>>;

/// Returns the footprint of a command: the messages of the dispute. Their tokens can be read before the locks, because
/// a token never changes once the dispute has it.
pub(super) fn footprint(conn: &mut Conn, command: &DisputeCommand) -> Result<Footprint, Refused> {
    let account = &command.account;
    let found: Option<(Id, Option<Id>)> = disputes::table
        .filter(disputes::account_id.eq(account.as_str()))
        .filter(disputes::id.eq(Id(command.dispute.0)))
        .select((disputes::transaction_id, disputes::credit_id))
        .get_result(conn)
        .optional()
        .map_err(Failure::from)?;
    let Some((transaction, credit)) = found else { return Err(absent()) };
    let mut footprint = Footprint::default();
    for token in std::iter::once(transaction).chain(credit) {
        footprint.message(account, TransactionToken(token.0));
    }
    Ok(footprint)
}

/// Decides whether a transaction can be disputed.
pub(super) fn decide_opening(
    conn: &mut Conn,
    working_set: &WorkingSet,
    command: &OpenDisputeCommand,
) -> Result<DisputeDecision, Refused> {
    let (account, token) = (&command.account, command.transaction);
    let Some(disputed) = working_set.chain_situation(account, token)? else { return Err(absent()) };
    let Some(transaction) = working_set.cards.message(account, token).cloned() else { return Err(absent()) };
    let rows = disputes::table
        .filter(disputes::account_id.eq(account.as_str()))
        .filter(disputes::chain_id.eq(Id(transaction.chain.0)))
        .select(DisputeRow::as_select())
        .load(conn)
        .map_err(Failure::from)?;
    let situation = OpenDisputeSituation { disputes: with_evidence(conn, account, rows)?, disputed, transaction };
    Ok(ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?)
}

/// Stores a new dispute.
pub(super) fn store_new(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    decision: &DisputeDecision,
) -> Outcome<DisputeDone> {
    insert(vec![DisputeRow::from(&decision.dispute)], conn)?;
    insert(evidence_from(&decision.dispute, 0), conn)?;
    Ok(stage(working_set, decision))
}

/// Locks a dispute, and decides what happens to it. Also returns the dispute as it was before.
pub(super) fn decide(
    conn: &mut Conn,
    working_set: &WorkingSet,
    command: &DisputeCommand,
) -> Result<(Dispute, DisputeDecision), Refused> {
    let account = &command.account;
    let rows = load::<LockedDisputes>([(Account(account.clone()), Id(command.dispute.0))], conn)?;
    let Some(dispute) = with_evidence(conn, account, rows)?.pop() else { return Err(absent()) };
    let Some(disputed) = working_set.chain_situation(account, dispute.transaction)? else { return Err(absent()) };
    let credit = dispute.credit.map(|credit| {
        let chain = working_set.cards.chain(account, credit).cloned();
        chain.ok_or_else(|| Failure::Contended("another writer paid a provisional credit in between".to_owned()))
    });
    let situation = DisputeSituation { disputed, credit: credit.transpose()?, dispute };
    let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    Ok((situation.dispute, decision))
}

/// Stores a change of a dispute.
pub(super) fn store_change(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    before: &Dispute,
    decision: &DisputeDecision,
) -> Outcome<DisputeDone> {
    update(vec![DisputeChange::from(DisputeRow::from(&decision.dispute))], conn)?;
    insert(evidence_from(&decision.dispute, before.evidence.len()), conn)?;
    Ok(stage(working_set, decision))
}

fn stage(working_set: &mut WorkingSet, decision: &DisputeDecision) -> DisputeDone {
    if let Some(chain) = &decision.disputed {
        working_set.cards.change_chain(chain);
    }
    if let Some(message) = &decision.message {
        working_set.stage(message);
    }
    decision.into()
}

fn absent() -> Refused {
    Stop::Answer(WriteError::Absent)
}
