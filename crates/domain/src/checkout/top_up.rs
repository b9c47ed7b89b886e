//! Creation of top-ups: sessions that credit a budget of the account.

use super::{CheckoutSession, CreatedSession, Opening, PaymentReference, SessionPurpose};
use crate::budget::Budget;
use crate::ids::BudgetId;
use std::collections::BTreeSet;

/// What an adapter loads under the lock that serializes creations on a merchant.
#[derive(Clone, Debug)]
pub struct CreateTopUpSituation {
    /// The top-up with this idempotency key, as it is now.
    pub known: Option<CheckoutSession>,
    /// The budget. `None`: not on the account.
    pub budget: Option<Budget>,
    /// The references of the request that sessions of the account have already.
    pub taken: BTreeSet<PaymentReference>,
}

/// A request to create a top-up.
#[derive(Clone, Debug)]
pub struct TopUpRequest {
    /// What it has in common with sessions of checkouts.
    pub opening: Opening,
    /// The budget.
    pub budget: BudgetId,
}

/// Reasons to refuse a top-up. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateTopUpRefusal {
    /// The budget is not on the account.
    #[error("no such budget")]
    NoBudget,
    /// The budget does not hold the currency.
    #[error("the budget does not hold the currency")]
    NotHeld,
    /// All payment references of the request are taken.
    #[error("all payment references are taken")]
    NoReference,
}

/// Decides the creation of a top-up, which is OPEN. A known idempotency key returns its top-up.
pub fn decide_create_top_up(
    situation: &CreateTopUpSituation,
    request: &TopUpRequest,
) -> Result<CreatedSession, CreateTopUpRefusal> {
    if let Some(known) = &situation.known {
        return Ok(CreatedSession { session: known.clone(), is_new: false });
    }
    let budget = situation.budget.as_ref().ok_or(CreateTopUpRefusal::NoBudget)?;
    if budget.in_currency(request.opening.terms.amount.currency).is_none() {
        return Err(CreateTopUpRefusal::NotHeld);
    }
    let opened = request.opening.session(SessionPurpose::Budget(request.budget), &situation.taken);
    Ok(CreatedSession { session: opened.ok_or(CreateTopUpRefusal::NoReference)?, is_new: true })
}
