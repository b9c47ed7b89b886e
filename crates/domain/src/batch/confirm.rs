//! Confirming a payment batch (contract 3.2). The rule checks the batch first, then MFA, then the funds.

use super::confirmable::shortages;
use super::{BatchBalances, BatchTransition, BulkStatus, Confirmation, IllegalBatchTransition, PaymentBatch, Shortage};
use crate::event::{Event, EventKind};
use crate::ids::{ClientId, JournalId};
use crate::ledger::{AmountOutOfRange, JournalKind, JournalTransaction, Leg, Pool};
use crate::mfa::{MfaCheck, MfaFailure, MfaSession, MfaVerdict, TotpEnrolment};
use crate::stamp::Stamp;

/// The situation for a confirmation. An adapter loads it under the locks of the batch and of the budgets that
/// fund it.
#[derive(Clone, Debug)]
pub struct ConfirmSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// The MFA session that the caller named, if it exists.
    pub session: Option<MfaSession>,
    /// The account's TOTP enrolment. `None`: the account is not enrolled.
    pub enrolment: Option<TotpEnrolment>,
    /// Whether the account requires MFA for confirmations.
    pub mfa_required: bool,
    /// Balances of the budgets that fund the orders, by budget and currency.
    pub balances: BatchBalances,
}

/// The caller's proof of MFA, with the provider's verdict on it.
#[derive(Clone, Debug)]
pub struct MfaProof {
    /// The caller, the batch and the provider that the session must have.
    pub check: MfaCheck,
    /// The provider's verdict on the token.
    pub verdict: MfaVerdict,
}

/// The result of a confirmation. An adapter stores it atomically. A refusal can store a failed MFA attempt.
#[derive(Clone, Debug)]
pub struct ConfirmDecision {
    /// The confirmed batch, or the reason for the refusal.
    pub result: Result<ConfirmedBatch, ConfirmRefusal>,
    /// The MFA session, if it changed.
    pub session: Option<MfaSession>,
    /// The TOTP enrolment, if it changed.
    pub enrolment: Option<TotpEnrolment>,
}

/// A confirmed batch, with the money that is reserved for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedBatch {
    /// The batch after the decision.
    pub batch: PaymentBatch,
    /// The change of every payment of the batch, as of `batch.updated_at`.
    pub payments: BulkStatus,
    /// One reservation for each funding budget and currency.
    pub journal: Vec<JournalTransaction>,
    /// The balances of the funding budgets afterwards.
    pub balances: BatchBalances,
    /// One event for each order.
    pub events: Vec<Event>,
}

/// Reasons to refuse a confirmation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfirmRefusal {
    /// The account requires MFA, but the request has no `mfa`.
    #[error("multi-factor authentication is required")]
    MfaRequired,
    /// The status of the batch is not `validated`.
    #[error(transparent)]
    State(#[from] IllegalBatchTransition),
    /// The MFA proof is not valid.
    #[error(transparent)]
    Mfa(#[from] MfaFailure),
    /// Budgets lack money. Neither the MFA session nor the TOTP step is used up.
    #[error("insufficient funds")]
    InsufficientFunds(Vec<Shortage>),
    /// A balance would leave its range.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

impl ConfirmDecision {
    fn refused(refusal: impl Into<ConfirmRefusal>) -> Self {
        Self { result: Err(refusal.into()), session: None, enrolment: None }
    }
}

/// Decides a confirmation by `client`. `proof` is `None` if the request has no `mfa`.
///
/// ```
/// use florin_domain::batch::decide_confirm;
/// use florin_domain::test_support::{BatchScenario, CLIENT, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// let situation = scenario.confirm_situation();
/// let decision = decide_confirm(&situation, None, CLIENT, &scenario.stamp());
/// assert_eq!(decision.result.unwrap().journal.len(), 1);
/// ```
pub fn decide_confirm(
    situation: &ConfirmSituation,
    proof: Option<&MfaProof>,
    client: ClientId,
    stamp: &Stamp<'_>,
) -> ConfirmDecision {
    let confirmation = Confirmation { by: Some(client), at: stamp.now, passed_mfa_check_at: proof.map(|_| stamp.now) };
    let state = match situation.batch.state.after(BatchTransition::Confirm(confirmation)) {
        Ok(state) => state,
        Err(illegal) => return ConfirmDecision::refused(illegal),
    };
    if proof.is_none() && situation.mfa_required {
        return ConfirmDecision::refused(ConfirmRefusal::MfaRequired);
    }
    let mut session = None;
    let mut enrolment = None;
    if let Some(proof) = proof {
        let outcome = proof.check.apply_verdict(
            situation.session.as_ref(),
            situation.enrolment.as_ref(),
            proof.verdict,
            stamp.now,
        );
        if let Err(failure) = outcome.passed {
            return ConfirmDecision {
                result: Err(failure.into()),
                session: outcome.session,
                enrolment: outcome.enrolment,
            };
        }
        (session, enrolment) = (outcome.session, outcome.enrolment);
    }
    let booked = reserve(situation, stamp).map(|(journal, balances)| {
        let batch = PaymentBatch { state, updated_at: stamp.now, ..situation.batch.clone() };
        let events = batch.order_events(EventKind::PaymentBatchOrderCreated).collect();
        ConfirmedBatch { batch, payments: BulkStatus::Confirmed, journal, balances, events }
    });
    match booked {
        Ok(confirmed) => ConfirmDecision { result: Ok(confirmed), session, enrolment },
        // A shortage uses up neither the session nor the TOTP step.
        Err(refusal) => ConfirmDecision::refused(refusal),
    }
}

/// Reserves the cost of the orders on every funding budget and currency, or returns all shortages.
fn reserve(
    situation: &ConfirmSituation,
    stamp: &Stamp<'_>,
) -> Result<(Vec<JournalTransaction>, BatchBalances), ConfirmRefusal> {
    let batch = &situation.batch;
    let costs = batch.costs()?;
    let shortages = shortages(&costs, &situation.balances);
    if !shortages.is_empty() {
        return Err(ConfirmRefusal::InsufficientFunds(shortages));
    }
    let mut journal = Vec::new();
    let mut after = BatchBalances::new();
    for ((budget, currency), cost) in costs {
        let leg = Leg::new(Pool::Available(budget), Pool::Reserved(budget), cost)?;
        let (id, cause) = (JournalId(stamp.id()), (JournalKind::BatchReservation, batch.id.0));
        let booked = JournalTransaction::new(id, batch.account.clone(), cause, currency, stamp.now, leg)?;
        let balances = situation.balances.get(&(budget, currency)).copied().unwrap_or_default();
        after.insert((budget, currency), balances.after(budget, booked.legs())?);
        journal.push(booked);
    }
    Ok((journal, after))
}

#[cfg(test)]
#[path = "confirm_tests.rs"]
mod tests;
