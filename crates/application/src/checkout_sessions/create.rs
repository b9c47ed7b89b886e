//! Creates sessions and top-ups.

use super::settle::find_session;
use crate::CheckoutServices;
use florin_domain::access::Account;
use florin_domain::checkout::{
    CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal, CreateTopUpSituation, CreatedSession,
    PaymentReference, SessionDraft, SessionRequest, SessionTarget, SessionTerms, TopUpRequest, decide_create_session,
    decide_create_top_up,
};
use florin_domain::ids::{BudgetId, CheckoutId, CheckoutSessionId};
use florin_domain::text::Text;
use florin_ports::{CreateSessionCommand, CreateTopUpCommand, IdempotencyClaim, StoreError, WriteError, Written};
use std::sync::Arc;

/// Number of payment references that a creation tries. A reference has 40 random bits, so one is rarely taken.
const REFERENCES: usize = 3;

/// A client's request for a session.
pub struct NewSession {
    /// The checkout.
    pub checkout: CheckoutId,
    /// The terms that sessions and top-ups have in common.
    pub terms: SessionTerms,
    /// The data that only a SHOPPING session has, or only a `TOP_UP` session.
    pub target: SessionTarget,
    /// The merchant's reference.
    pub merchant_reference: Text<1, 128>,
    /// The description for the payer.
    pub description: Option<Text<1, 140>>,
}

/// A client's request for a top-up.
pub struct NewTopUp {
    /// The budget.
    pub budget: BudgetId,
    /// The terms that sessions and top-ups have in common.
    pub terms: SessionTerms,
}

/// Creates a session. If the merchant's idempotency key was used before, returns its session in its current state.
pub async fn create_session(
    services: &CheckoutServices,
    account: &Account,
    new: NewSession,
    claim: Option<IdempotencyClaim<CreatedSession>>,
) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>> {
    let NewSession { checkout, terms, target, merchant_reference, description } = new;
    let payee = match &target {
        SessionTarget::TopUp(payee) => Some(*payee),
        SessionTarget::Shopping { .. } => None,
    };
    let draft = draft(services, account, terms).await?;
    let (idempotency_key, references) = (draft.terms.idempotency_key.as_str().to_owned(), draft.references.clone());
    let request = SessionRequest { draft, target, merchant_reference, description };
    let decide = Arc::new(move |situation: &CreateSessionSituation| decide_create_session(situation, &request));
    let account_id = account.id.clone();
    let command =
        CreateSessionCommand { account: account_id, checkout, payee, idempotency_key, references, decide, claim };
    let written = services.sessions.create(command).await?;
    Ok(settle_existing(services, account, written).await?)
}

/// Creates a top-up. If the client's idempotency key was used before, returns its top-up in its current state.
pub async fn create_top_up(
    services: &CheckoutServices,
    account: &Account,
    new: NewTopUp,
    claim: Option<IdempotencyClaim<CreatedSession>>,
) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>> {
    let NewTopUp { budget, terms } = new;
    let draft = draft(services, account, terms).await?;
    let (idempotency_key, references) = (draft.terms.idempotency_key.as_str().to_owned(), draft.references.clone());
    let request = TopUpRequest { draft, budget };
    let decide = Arc::new(move |situation: &CreateTopUpSituation| decide_create_top_up(situation, &request));
    let account_id = account.id.clone();
    let command = CreateTopUpCommand { account: account_id, budget, idempotency_key, references, decide, claim };
    let written = services.sessions.create_top_up(command).await?;
    Ok(settle_existing(services, account, written).await?)
}

async fn draft(
    services: &CheckoutServices,
    account: &Account,
    terms: SessionTerms,
) -> Result<SessionDraft, StoreError> {
    let clock = services.clock_of(account).await?;
    let id = CheckoutSessionId(clock.next_id());
    Ok(SessionDraft {
        id,
        account: account.id.clone(),
        terms,
        token: services.page_tokens.hash_of(&account.id, id.0),
        references: (0..REFERENCES).map(|_| PaymentReference::of(clock.next_id())).collect(),
        now: clock.now(),
    })
}

/// Applies due steps if the session existed before this request, and returns it in its current state.
async fn settle_existing(
    services: &CheckoutServices,
    account: &Account,
    written: Written<CreatedSession>,
) -> Result<Written<CreatedSession>, StoreError> {
    let Written::New(CreatedSession { session, is_new: false }) = written else { return Ok(written) };
    let found = find_session(services, account, session.id).await?;
    let session = found.map_or(session, |found| found.session);
    Ok(Written::New(CreatedSession { session, is_new: false }))
}
