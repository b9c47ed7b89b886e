//! Commands of disputes, with the domain's rules.

use crate::check::Failure;
use crate::commands::{amount, stamp_at, token};
use crate::payments::after;
use crate::seed_data::Who;
use florin_domain::card::decide::{
    DisputeRequest, DisputeSituation, OpenDisputeSituation, decide_dispute, decide_new_dispute,
};
use florin_domain::card::{DisputeAction, DisputeReason, EvidenceText};
use florin_domain::ids::{DisputeId, TransactionToken};
use florin_ports::{DisputeCommand, Mode, OpenDisputeCommand};
use std::sync::Arc;

/// Returns the id of dispute `number`.
pub(crate) const fn dispute_id(number: u128) -> DisputeId {
    DisputeId(token(number).0)
}

/// Builds dispute `number` of a message, over the amount `text`, opened `number` seconds after noon.
pub(crate) fn open_dispute(
    who: Who,
    transaction: TransactionToken,
    text: &str,
    number: u128,
) -> Result<OpenDisputeCommand, Failure> {
    let ids = stamp_at(number, after(i64::try_from(number).unwrap_or_default()));
    let request = DisputeRequest { amount: Some(amount(text)?), reason: DisputeReason::NotReceived };
    let decide = Arc::new(move |situation: &OpenDisputeSituation| {
        ids.rule(|stamp| decide_new_dispute(situation, &request, stamp))
    });
    Ok(OpenDisputeCommand { account: who.account()?, transaction, decide, mode: Mode::Commit, claim: None })
}

/// Builds an action on dispute `dispute`. If the action causes a message, its token is token `number`.
pub(crate) fn act_on_dispute(
    who: Who,
    dispute: u128,
    action: DisputeAction,
    number: u128,
) -> Result<DisputeCommand, Failure> {
    let ids = stamp_at(number, after(i64::try_from(number).unwrap_or_default()));
    let decide =
        Arc::new(move |situation: &DisputeSituation| ids.rule(|stamp| decide_dispute(situation, &action, stamp)));
    let (account, dispute) = (who.account()?, dispute_id(dispute));
    Ok(DisputeCommand { account, dispute, decide, mode: Mode::Commit, claim: None })
}

/// Returns the action that adds a text of evidence.
pub(crate) fn evidence(text: &str) -> Result<DisputeAction, Failure> {
    Ok(DisputeAction::Evidence(EvidenceText::parse(text)?))
}
