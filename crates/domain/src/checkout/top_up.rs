//! Creation of top-ups: sessions that credit a budget of the account.

use super::create::free_reference;
use super::{CheckoutSession, CreatedSession, PageTokenHash, PaymentReference, SessionPurpose, SessionStatus};
use crate::budget::Budget;
use crate::ids::{AccountId, BudgetId, CheckoutSessionId};
use crate::merchant::{Locale, WebUrl};
use crate::money::Money;
use crate::text::Text;
use chrono::{DateTime, TimeDelta, Utc};
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

/// A request to create a top-up, with its new id, its token and the time.
#[derive(Clone, Debug)]
pub struct TopUpRequest {
    /// The id.
    pub id: CheckoutSessionId,
    /// The account of the budget.
    pub account: AccountId,
    /// The budget.
    pub budget: BudgetId,
    /// The amount, in the range of [`super::MERCHANT_AMOUNTS`].
    pub amount: Money,
    /// The caller's idempotency key.
    pub idempotency_key: Text<1, 255>,
    /// Where the payer returns to.
    pub return_url: Option<WebUrl>,
    /// The locale of the page.
    pub locale: Option<Locale>,
    /// How long it can be paid.
    pub lifetime: TimeDelta,
    /// The hash of the token of its page.
    pub token: PageTokenHash,
    /// Possible payment references, of which the first free one is used.
    pub references: Vec<PaymentReference>,
    /// The time of creation.
    pub now: DateTime<Utc>,
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
    if budget.in_currency(request.amount.currency).is_none() {
        return Err(CreateTopUpRefusal::NotHeld);
    }
    let expires_at = request.now.checked_add_signed(request.lifetime).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let session = CheckoutSession {
        id: request.id,
        account: request.account.clone(),
        purpose: SessionPurpose::Budget(request.budget),
        status: SessionStatus::Open,
        has_begun: false,
        idempotency_key: request.idempotency_key.as_str().to_owned(),
        merchant_reference: None,
        description: None,
        amount: request.amount,
        basket: None,
        shipping: None,
        locale: request.locale.as_ref().map(|locale| locale.as_str().to_owned()),
        return_url: request.return_url.as_ref().map(|url| url.as_str().to_owned()),
        token: request.token,
        payment_reference: free_reference(&request.references, &situation.taken)
            .ok_or(CreateTopUpRefusal::NoReference)?,
        expires_at,
        due_at: Some(expires_at),
        payment: None,
        order: None,
        created_at: request.now,
        updated_at: request.now,
        completed_at: None,
    };
    Ok(CreatedSession { session, is_new: true })
}
