//! Commands on sessions, top-ups and refunds, with the domain's rules.

use crate::check::Failure;
use crate::expect::{expect_new, expect_some};
use crate::factory::Handle;
use crate::merchants::{checkout_id, create_checkout};
use crate::payments::after;
use crate::seed_data::{Who, bank, gbp, uuid};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::checkout::{
    BankAnswer, BankChoice, BankReport, BankReportResult, Basket, BasketItem, CheckoutSession, CountryCode,
    CreateRefundSituation, CreateSessionSituation, CreateTopUpSituation, MerchantPayment, PageTokenHash, PayerDecision,
    PaymentReference, Quantity, RefundAction, RefundRequest, RefundSituation, SessionAction, SessionDraft,
    SessionRequest, SessionSituation, SessionTarget, SessionTerms, Shipping, TopUpRequest, decide_create_refund,
    decide_create_session, decide_create_top_up, decide_refund, decide_session,
};
use florin_domain::ids::{AccountId, CheckoutId, CheckoutSessionId, MerchantPaymentId, RefundId};
use florin_domain::merchant::{Locale, WebUrl};
use florin_domain::money::Minor;
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use florin_ports::{
    CreateRefundCommand, CreateSessionCommand, CreateTopUpCommand, Mode, RefundCommand, SessionCommand,
};
use std::cell::Cell;
use std::sync::Arc;
use uuid::Uuid;

/// Returns the id of session or top-up `number` created by a check.
pub(crate) const fn checkout_session_id(number: u128) -> CheckoutSessionId {
    CheckoutSessionId(uuid(103, number))
}

/// Returns the id of refund `number` created by a check.
pub(crate) const fn refund_id(number: u128) -> RefundId {
    RefundId(uuid(105, number))
}

/// Returns the id of the row of refund `number` among the payments.
pub(crate) const fn refund_row(number: u128) -> MerchantPaymentId {
    MerchantPaymentId(uuid(106, number))
}

/// Returns id `place` of a series, from 0. A rule draws its ids from one series: the first is the id of the payment,
/// and the ids of its completion follow.
pub(crate) const fn drawn_id(series: u128, place: u128) -> Uuid {
    uuid(104, series * 100 + place)
}

/// Returns the hash of the token of a session or refund: its id and its account.
pub(crate) fn page_token(account: &AccountId, id: Uuid) -> PageTokenHash {
    let mut hash = [0; 32];
    let text = id.into_bytes().into_iter().chain(account.as_str().bytes());
    hash.iter_mut().zip(text).for_each(|(place, byte)| *place = byte);
    PageTokenHash(hash)
}

/// Returns payment reference `number`.
pub(crate) fn reference(number: u128) -> PaymentReference {
    PaymentReference::of(uuid(107, number))
}

/// Creates checkout `number`, which pays into the seeded settlement account.
pub(crate) async fn add_checkout(handle: &Handle, who: Who, number: u128) -> Result<CheckoutId, Failure> {
    expect_new(handle.checkouts.create(create_checkout(who, number, Some(who.settlement_account()))?).await)?;
    Ok(checkout_id(number))
}

/// Returns a basket of 10.00.
pub(crate) fn basket() -> Result<Basket, Failure> {
    let item = |name: &str, quantity, unit_price| {
        Ok::<_, Failure>(BasketItem {
            name: name.into(),
            quantity: Quantity::new(quantity)?,
            unit_price,
            sku: None,
            product_id: Some("Ж-1".into()),
            tax_rate: Some("20.00".into()),
            image_url: None,
        })
    };
    Ok(Basket::new(vec![item("Chleb ✓", 3, 300)?, item(" ", 1, 100)?])?)
}

/// An address to ship to, at no cost.
pub(crate) fn shipping() -> Result<Shipping, Failure> {
    Ok(Shipping {
        recipient_name: "Zoë ✓".into(),
        address_line1: "ul. Żabia 1".into(),
        address_line2: None,
        city: "Łódź".into(),
        region: None,
        postcode: "90-001".into(),
        country_code: CountryCode::parse("PL")?,
        rate: None,
    })
}

/// A request for SHOPPING session `number` of 10.00, created `number` seconds after noon.
pub(crate) fn session_request(who: Who, number: u128) -> Result<SessionRequest, Failure> {
    let mut draft = draft(who, number)?;
    draft.terms.return_url = Some(WebUrl::parse("https://shop.example/back")?);
    draft.terms.locale = Some(Locale::parse("cy")?);
    Ok(SessionRequest {
        draft,
        target: SessionTarget::Shopping { basket: Some(basket()?), shipping: None },
        merchant_reference: Text::parse(format!("Zamówienie ✓ {number}"))?,
        description: Some(Text::parse(" Ægir ")?),
    })
}

fn draft(who: Who, number: u128) -> Result<SessionDraft, Failure> {
    let (id, account) = (checkout_session_id(number), who.account()?);
    Ok(SessionDraft {
        id,
        token: page_token(&account, id.0),
        account,
        terms: SessionTerms {
            idempotency_key: Text::parse(format!("key {number}"))?,
            amount: Minor(1_000).of(gbp()?),
            return_url: None,
            locale: None,
            lifetime: TimeDelta::minutes(20),
        },
        references: vec![reference(number)],
        now: after(i64::try_from(number).unwrap_or_default()),
    })
}

/// Builds a command that creates a session through a checkout.
pub(crate) fn create_session(
    who: Who,
    checkout: CheckoutId,
    request: SessionRequest,
) -> Result<CreateSessionCommand, Failure> {
    let payee = match &request.target {
        SessionTarget::TopUp(payee) => Some(*payee),
        SessionTarget::Shopping { .. } => None,
    };
    let draft = &request.draft;
    let (key, references) = (draft.terms.idempotency_key.as_str().to_owned(), draft.references.clone());
    let decide = Arc::new(move |situation: &CreateSessionSituation| decide_create_session(situation, &request));
    Ok(CreateSessionCommand {
        account: who.account()?,
        checkout,
        payee,
        idempotency_key: key,
        references,
        decide,
        claim: None,
    })
}

/// Creates SHOPPING session `number` through a checkout.
pub(crate) async fn add_session(
    handle: &Handle,
    who: Who,
    checkout: CheckoutId,
    number: u128,
) -> Result<CheckoutSession, Failure> {
    let command = create_session(who, checkout, session_request(who, number)?)?;
    Ok(expect_new(handle.checkout_sessions.create(command).await)?.session)
}

/// A request to top up the account's first budget by 10.00, created `number` seconds after noon.
pub(crate) fn top_up_request(who: Who, number: u128) -> Result<TopUpRequest, Failure> {
    Ok(TopUpRequest { draft: draft(who, number)?, budget: who.budget() })
}

/// Builds a command that creates a top-up.
pub(crate) fn create_top_up(who: Who, request: TopUpRequest) -> Result<CreateTopUpCommand, Failure> {
    let TopUpRequest { draft, budget } = &request;
    let (budget, key) = (*budget, draft.terms.idempotency_key.as_str().to_owned());
    let references = draft.references.clone();
    let decide = Arc::new(move |situation: &CreateTopUpSituation| decide_create_top_up(situation, &request));
    Ok(CreateTopUpCommand { account: who.account()?, budget, idempotency_key: key, references, decide, claim: None })
}

/// Creates top-up `number`.
pub(crate) async fn add_top_up(handle: &Handle, who: Who, number: u128) -> Result<CheckoutSession, Failure> {
    let command = create_top_up(who, top_up_request(who, number)?)?;
    Ok(expect_new(handle.checkout_sessions.create_top_up(command).await)?.session)
}

/// Runs a rule with the ids of a series. Every run gets the same ids.
fn with_ids<T>(series: u128, now: DateTime<Utc>, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
    let next = Cell::new(0);
    rule(&Stamp { now, ids: &|| drawn_id(series, next.replace(next.get() + 1)) })
}

/// Builds a command that applies an action to session `number`. The rule draws its ids from `series`.
pub(crate) fn step(
    who: Who,
    number: u128,
    action: SessionAction,
    (series, now): (u128, DateTime<Utc>),
) -> Result<SessionCommand, Failure> {
    let decide = Arc::new(move |situation: &SessionSituation| {
        with_ids(series, now, |stamp| decide_session(situation, &action, stamp))
    });
    Ok(SessionCommand {
        account: who.account()?,
        session: checkout_session_id(number),
        decide,
        mode: Mode::Commit,
        claim: None,
    })
}

/// The bank that payers choose.
pub(crate) fn payer_bank() -> Result<BankChoice, Failure> {
    Ok(BankChoice { id: bank(2, "Second")?.id, name: "Bank Śląski".into() })
}

/// An approval that the bank confirms at a time.
pub(crate) const fn approval(at: DateTime<Utc>) -> PayerDecision {
    PayerDecision::Approve(BankAnswer::Report(BankReport { at, result: BankReportResult::Confirmed }))
}

/// An action that pays a session with an address to ship to, or a top-up without one.
pub(crate) fn pay(shipping: Option<Shipping>, decision: PayerDecision) -> Result<SessionAction, Failure> {
    Ok(SessionAction::Pay { bank: payer_bank()?, shipping, decision })
}

/// Pays session `number`, which is then COMPLETED, and returns the session. The rule draws its ids from series
/// `number`.
pub(crate) async fn pay_session(handle: &Handle, who: Who, number: u128) -> Result<CheckoutSession, Failure> {
    let now = after(100 + i64::try_from(number).unwrap_or_default());
    let action = pay(Some(shipping()?), approval(now))?;
    expect_new(handle.checkout_sessions.act(step(who, number, action, (number, now))?).await)
}

/// Creates SHOPPING session `number` through a checkout, pays it, and returns its payment.
pub(crate) async fn add_paid_session(
    handle: &Handle,
    who: Who,
    checkout: CheckoutId,
    number: u128,
) -> Result<MerchantPayment, Failure> {
    add_session(handle, who, checkout, number).await?;
    let session = pay_session(handle, who, number).await?;
    let payment = expect_some("the payment of the session", session.state.payment())?;
    let found = handle.merchant_payments.find(&who.account()?, payment).await?;
    Ok(expect_some("the payment", found)?.payment)
}

/// A request for refund `number` of 1.00, created `number` seconds after noon.
pub(crate) fn refund_request(who: Who, number: u128) -> Result<RefundRequest, Failure> {
    let id = refund_id(number);
    Ok(RefundRequest {
        id,
        payment: refund_row(number),
        amount: Minor(100).of(gbp()?),
        reason: Some(Text::parse(format!("Zwrot ✓ {number}"))?),
        token: page_token(&who.account()?, id.0),
        now: after(i64::try_from(number).unwrap_or_default()),
    })
}

/// Builds a command that creates a refund of a payment.
pub(crate) fn create_refund(
    who: Who,
    payment: MerchantPaymentId,
    request: RefundRequest,
) -> Result<CreateRefundCommand, Failure> {
    let decide = Arc::new(move |situation: &CreateRefundSituation| decide_create_refund(situation, &request));
    Ok(CreateRefundCommand { account: who.account()?, payment, decide, mode: Mode::Commit, claim: None })
}

/// Creates refund `number` of 1.00 of a payment.
pub(crate) async fn add_refund(
    handle: &Handle,
    who: Who,
    payment: MerchantPaymentId,
    number: u128,
) -> Result<MerchantPayment, Failure> {
    let command = create_refund(who, payment, refund_request(who, number)?)?;
    expect_new(handle.merchant_payments.create_refund(command).await)
}

/// Builds a command that applies an action to refund `number`. The rule draws its ids from `series`.
pub(crate) fn refund_step(
    who: Who,
    number: u128,
    action: RefundAction,
    (series, now): (u128, DateTime<Utc>),
) -> Result<RefundCommand, Failure> {
    let decide = Arc::new(move |situation: &RefundSituation| {
        with_ids(series, now, |stamp| decide_refund(situation, action, stamp))
    });
    Ok(RefundCommand { account: who.account()?, refund: refund_id(number), decide, mode: Mode::Commit, claim: None })
}
