//! Creation of top-ups: sessions that credit a budget of the account.

use super::{CheckoutSession, CreatedSession, PaymentReference, SessionDraft, SessionPurpose};
use crate::budget::Budget;
use crate::ids::BudgetId;
use std::collections::BTreeSet;

/// The situation for the creation of a top-up. An adapter loads it under the lock that serializes the creation of
/// an account's sessions and top-ups.
#[derive(Clone, Debug)]
pub struct CreateTopUpSituation {
    /// The existing top-up with this idempotency key, in its current state.
    pub known: Option<CheckoutSession>,
    /// The budget. `None`: no such budget on the account.
    pub budget: Option<Budget>,
    /// Those of the request's candidate payment references that sessions of the account already use.
    pub taken: BTreeSet<PaymentReference>,
}

/// A request to create a top-up.
#[derive(Clone, Debug)]
pub struct TopUpRequest {
    /// The fields that sessions and top-ups have in common.
    pub draft: SessionDraft,
    /// The budget to credit.
    pub budget: BudgetId,
}

/// Reasons to refuse the creation of a top-up. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateTopUpRefusal {
    /// The budget is not on the account.
    #[error("no such budget")]
    NoBudget,
    /// The budget has no balance in the currency.
    #[error("the budget does not hold the currency")]
    NoBalance,
    /// Sessions of the account already use all candidates for the payment reference.
    #[error("all payment references are taken")]
    NoReference,
}

/// Decides the creation of a top-up, which is then OPEN. A known idempotency key returns its existing top-up.
///
/// ```
/// use florin_domain::checkout::{CreateTopUpRefusal, CreateTopUpSituation, decide_create_top_up};
/// use florin_domain::test_support::{a_budget, a_top_up, a_top_up_request};
///
/// let budget = Some(a_budget().with("0.00 GBP").build().budget);
/// let situation = CreateTopUpSituation { known: None, budget, taken: [].into() };
/// let created = decide_create_top_up(&situation, &a_top_up_request("12.50 GBP")).unwrap();
/// assert_eq!(created.session, a_top_up("12.50 GBP"));
///
/// let refused = decide_create_top_up(&situation, &a_top_up_request("12.50 EUR"));
/// assert_eq!(refused, Err(CreateTopUpRefusal::NoBalance));
/// ```
pub fn decide_create_top_up(
    situation: &CreateTopUpSituation,
    request: &TopUpRequest,
) -> Result<CreatedSession, CreateTopUpRefusal> {
    if let Some(known) = &situation.known {
        return Ok(CreatedSession { session: known.clone(), is_new: false });
    }
    let budget = situation.budget.as_ref().ok_or(CreateTopUpRefusal::NoBudget)?;
    if budget.in_currency(request.draft.terms.amount.currency).is_none() {
        return Err(CreateTopUpRefusal::NoBalance);
    }
    let opened = request.draft.session(SessionPurpose::Budget(request.budget), &situation.taken);
    Ok(CreatedSession { session: opened.ok_or(CreateTopUpRefusal::NoReference)?, is_new: true })
}
