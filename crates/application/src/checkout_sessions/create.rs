//! Creates sessions and top-ups.

use super::settle::settle_session;
use crate::{AccountClock, CheckoutServices};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::checkout::{
    CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal, CreateTopUpSituation, CreatedSession,
    PaymentReference, SessionRequest, SessionTarget, TopUpRequest, decide_create_session, decide_create_top_up,
};
use florin_domain::ids::{BudgetId, CheckoutId, CheckoutSessionId};
use florin_domain::merchant::{Locale, WebUrl};
use florin_domain::money::Money;
use florin_domain::text::Text;
use florin_ports::{CreateSessionCommand, CreateTopUpCommand, IdempotencyClaim, StoreError, WriteError, Written};
use std::sync::Arc;

/// The number of payment references that a creation tries: one of 40 random bits is almost never taken.
const REFERENCES: usize = 3;

/// The request of the client for a session.
pub struct NewSession {
    /// The checkout.
    pub checkout: CheckoutId,
    /// The members of its type.
    pub target: SessionTarget,
    /// The merchant's idempotency key.
    pub idempotency_key: Text<1, 255>,
    /// The merchant's reference.
    pub merchant_reference: Text<1, 128>,
    /// The amount, in its range.
    pub amount: Money,
    /// What the payer reads.
    pub description: Option<Text<1, 140>>,
    /// Where the payer returns to.
    pub return_url: Option<WebUrl>,
    /// The locale of the page.
    pub locale: Option<Locale>,
    /// How long it can be paid.
    pub lifetime: TimeDelta,
}

/// The request of the client for a top-up.
pub struct NewTopUp {
    /// The budget.
    pub budget: BudgetId,
    /// The amount, in its range.
    pub amount: Money,
    /// The client's idempotency key.
    pub idempotency_key: Text<1, 255>,
    /// Where the payer returns to.
    pub return_url: Option<WebUrl>,
    /// The locale of the page.
    pub locale: Option<Locale>,
    /// How long it can be paid.
    pub lifetime: TimeDelta,
}

/// Creates a session, or returns the one with the merchant's idempotency key, as it is now.
pub async fn create_session(
    services: &CheckoutServices,
    account: &Account,
    new: NewSession,
    claim: Option<IdempotencyClaim<CreatedSession>>,
) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>> {
    let clock = services.clock_of(account).await?;
    let id = CheckoutSessionId(clock.next_id());
    let (checkout, references, key) = (new.checkout, references(&clock), new.idempotency_key.as_str().to_owned());
    let payee = match &new.target {
        SessionTarget::TopUp(payee) => Some(*payee),
        SessionTarget::Shopping { .. } => None,
    };
    let request = SessionRequest {
        id,
        account: account.id.clone(),
        target: new.target,
        idempotency_key: new.idempotency_key,
        merchant_reference: new.merchant_reference,
        amount: new.amount,
        description: new.description,
        return_url: new.return_url,
        locale: new.locale,
        lifetime: new.lifetime,
        token: services.page_tokens.hash_of(&account.id, id.0),
        references: references.clone(),
        now: clock.now(),
    };
    let decide = Arc::new(move |situation: &CreateSessionSituation| decide_create_session(situation, &request));
    let account_id = account.id.clone();
    let command =
        CreateSessionCommand { account: account_id, checkout, payee, idempotency_key: key, references, decide, claim };
    let written = services.sessions.create(command).await?;
    Ok(after_due(services, account, written).await?)
}

/// Creates a top-up, or returns the one with the client's idempotency key, as it is now.
pub async fn create_top_up(
    services: &CheckoutServices,
    account: &Account,
    new: NewTopUp,
    claim: Option<IdempotencyClaim<CreatedSession>>,
) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>> {
    let clock = services.clock_of(account).await?;
    let id = CheckoutSessionId(clock.next_id());
    let (budget, references, key) = (new.budget, references(&clock), new.idempotency_key.as_str().to_owned());
    let request = TopUpRequest {
        id,
        account: account.id.clone(),
        budget,
        amount: new.amount,
        idempotency_key: new.idempotency_key,
        return_url: new.return_url,
        locale: new.locale,
        lifetime: new.lifetime,
        token: services.page_tokens.hash_of(&account.id, id.0),
        references: references.clone(),
        now: clock.now(),
    };
    let decide = Arc::new(move |situation: &CreateTopUpSituation| decide_create_top_up(situation, &request));
    let account_id = account.id.clone();
    let command = CreateTopUpCommand { account: account_id, budget, idempotency_key: key, references, decide, claim };
    let written = services.sessions.create_top_up(command).await?;
    Ok(after_due(services, account, written).await?)
}

fn references(clock: &AccountClock) -> Vec<PaymentReference> {
    (0..REFERENCES).map(|_| PaymentReference::of(clock.next_id())).collect()
}

/// Applies what is due to a session that existed before.
async fn after_due(
    services: &CheckoutServices,
    account: &Account,
    written: Written<CreatedSession>,
) -> Result<Written<CreatedSession>, StoreError> {
    let Written::New(CreatedSession { session, is_new: false }) = written else { return Ok(written) };
    let found = settle_session(services, account, session.id).await?;
    let session = found.map_or(session, |found| found.session);
    Ok(Written::New(CreatedSession { session, is_new: false }))
}
