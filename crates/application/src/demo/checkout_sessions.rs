//! Checkout sessions of the demo account: one in each status, with payments, a refund and a top-up. The rules of the
//! domain create them.

use super::DemoFault;
use super::ids::{Kind, id};
use crate::PageTokenMaker;
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use florin_domain::budget::Budget;
use florin_domain::checkout::{
    BankAnswer, BankChoice, BankReport, BankReportResult, Basket, BasketItem, CheckoutSession, CountryCode,
    CreateRefundSituation, CreateSessionSituation, CreateTopUpSituation, MerchantPayment, MerchantPaymentStatus,
    PayerDecision, PaymentFailure, PaymentReference, Quantity, RefundAction, RefundRequest, RefundSituation,
    RefundSource, SessionAction, SessionDraft, SessionRequest, SessionSituation, SessionTarget, SessionTerms, Shipping,
    ShippingRate, TopUpRequest, decide_create_refund, decide_create_session, decide_create_top_up, decide_refund,
    decide_session,
};
use florin_domain::ids::{CheckoutId, CheckoutSessionId, MerchantPaymentId, RefundId};
use florin_domain::ledger::JournalTransaction;
use florin_domain::merchant::Bank;
use florin_domain::money::{Currency, Minor};
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use florin_ports::SeedAccount;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Display;

/// The numbers of the checkouts that the sessions use: SHOPPING into the default settlement account, SHOPPING with a
/// shipping address, and `TOP_UP`.
const SHOP: u32 = 1;
const PARCELS: u32 = 11;
const TOP_UPS: u32 = 3;

/// The number of the session that is a top-up.
const TOP_UP: u32 = 8;

/// The id of the demo top-up.
pub fn top_up_id() -> CheckoutSessionId {
    CheckoutSessionId(id(Kind::CheckoutSession, TOP_UP))
}

/// The demo sessions with their payments and journal transactions.
#[derive(Default)]
pub(super) struct DemoCheckouts {
    pub(super) sessions: Vec<CheckoutSession>,
    pub(super) payments: Vec<MerchantPayment>,
    pub(super) journal: Vec<JournalTransaction>,
}

/// Creates the sessions of an account, and a top-up of the budget `topped_up`. The account must already have its
/// checkouts.
pub(super) fn sessions(
    seed: &SeedAccount,
    topped_up: &Budget,
    bank: &Bank,
    (now, tokens): (DateTime<Utc>, &PageTokenMaker),
) -> Result<DemoCheckouts, DemoFault> {
    let bank = BankChoice { id: bank.id.clone(), name: bank.name.clone() };
    let mut builder =
        CheckoutBuilder { seed, bank, tokens, now, part_numbers: Cell::new(0), records: DemoCheckouts::default() };
    let day = |days: i64| now - TimeDelta::days(days);
    let at_midnight = |year, month, day| {
        let time = Utc.with_ymd_and_hms(year, month, day, 0, 0, 0).single();
        time.unwrap_or(DateTime::<Utc>::MAX_UTC)
    };
    let open_until = at_midnight(2099, 12, 31);
    // No clock of an account can show this time.
    let never = at_midnight(2100, 1, 1);
    let approved =
        |at| PayerDecision::Approve(BankAnswer::Report(BankReport { at, result: BankReportResult::Confirmed }));
    let failed = PayerDecision::Approve(BankAnswer::Report(BankReport {
        at: day(4) + TimeDelta::minutes(3),
        result: BankReportResult::Failed(PaymentFailure::RejectedByBank),
    }));
    // COMPLETED, with a partial refund.
    builder.open(PARCELS, "Two mugs, shipped", day(6), TimeDelta::minutes(20))?;
    let payment = builder.pay(approved(day(6) + TimeDelta::minutes(2)), day(6) + TimeDelta::minutes(1))?;
    builder.refund(payment, day(5))?;
    // A payment to a payee.
    builder.open(TOP_UPS, "Account of Ada", day(5), TimeDelta::minutes(20))?;
    builder.pay(approved(day(5)), day(5))?;
    // ABANDONED after a payment that failed.
    builder.open(SHOP, "Poster", day(4), TimeDelta::minutes(20))?;
    builder.pay(failed, day(4) + TimeDelta::minutes(1))?;
    builder.apply(&SessionAction::Due, now)?;
    // EXPIRED.
    builder.open(SHOP, "Notebook", day(3), TimeDelta::minutes(20))?;
    builder.apply(&SessionAction::Due, now)?;
    // CANCELLED.
    builder.open(SHOP, "Calendar", day(2), TimeDelta::minutes(20))?;
    builder.apply(&SessionAction::MerchantCancels, day(2) + TimeDelta::minutes(5))?;
    // PROCESSING: its bank never reports.
    builder.open(SHOP, "Umbrella", day(1), TimeDelta::minutes(20))?;
    builder.pay(approved(never), day(1) + TimeDelta::minutes(1))?;
    // OPEN.
    builder.open(SHOP, "Two mugs", day(1), open_until - day(1))?;
    builder.top_up(topped_up, day(1), open_until - day(1))?;
    Ok(builder.records)
}

/// Creates sessions and numbers them sequentially.
struct CheckoutBuilder<'a> {
    seed: &'a SeedAccount,
    bank: BankChoice,
    tokens: &'a PageTokenMaker,
    now: DateTime<Utc>,
    /// Number of ids of the kind [`Kind::CheckoutPart`] so far.
    part_numbers: Cell<u32>,
    records: DemoCheckouts,
}

impl CheckoutBuilder<'_> {
    /// Runs a rule with fixed ids.
    fn rule<T>(&self, now: DateTime<Utc>, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
        rule(&Stamp { now, ids: &|| id(Kind::CheckoutPart, self.next_part_number()) })
    }

    fn next_part_number(&self) -> u32 {
        self.part_numbers.set(self.part_numbers.get() + 1);
        self.part_numbers.get()
    }

    fn number(&self) -> u32 {
        u32::try_from(self.records.sessions.len()).unwrap_or_default() + 1
    }

    /// The request for the next session, in pounds.
    fn draft(&self, amount: Minor, now: DateTime<Utc>, lifetime: TimeDelta) -> Result<SessionDraft, DemoFault> {
        let number = self.number();
        let (session, account) = (CheckoutSessionId(id(Kind::CheckoutSession, number)), &self.seed.account.id);
        let terms = SessionTerms {
            idempotency_key: Text::parse(format!("demo-{number}"))?,
            amount: amount.of(Currency::parse("GBP")?),
            return_url: None,
            locale: None,
            lifetime,
        };
        Ok(SessionDraft {
            id: session,
            account: account.clone(),
            terms,
            token: self.tokens.hash_of(account, session.0),
            references: vec![reference(number)],
            now,
        })
    }

    fn open(
        &mut self,
        checkout: u32,
        description: &str,
        now: DateTime<Utc>,
        lifetime: TimeDelta,
    ) -> Result<(), DemoFault> {
        let number = self.number();
        let checkout = CheckoutId(id(Kind::Checkout, checkout));
        let checkout = self.seed.checkouts.iter().find(|known| known.id == checkout).cloned();
        let payee = self.seed.payees.first().cloned();
        let target = match &payee {
            Some(payee) if checkout.as_ref().is_some_and(|of| of.id.0 == id(Kind::Checkout, TOP_UPS)) => {
                SessionTarget::TopUp(payee.id)
            }
            _ => SessionTarget::Shopping { basket: Some(basket()?), shipping: None },
        };
        let request = SessionRequest {
            draft: self.draft(PRICE, now, lifetime)?,
            target,
            merchant_reference: Text::parse(format!("order-{number}"))?,
            description: Some(Text::parse(description)?),
        };
        let situation = CreateSessionSituation {
            known: None,
            checkout,
            settlement_accounts: self.seed.settlement_accounts.clone(),
            payee,
            taken: BTreeSet::new(),
        };
        let created = decide_create_session(&situation, &request).map_err(demo_fault)?;
        self.records.sessions.push(created.session);
        Ok(())
    }

    /// Pays the last session. Returns its payment, if the session is COMPLETED.
    fn pay(&mut self, decision: PayerDecision, now: DateTime<Utc>) -> Result<Option<MerchantPaymentId>, DemoFault> {
        let needs_shipping = self.records.sessions.last().is_some_and(CheckoutSession::needs_shipping);
        let shipping = if needs_shipping { Some(shipping()?) } else { None };
        self.apply(&SessionAction::Pay { bank: self.bank.clone(), shipping, decision }, now)?;
        self.apply(&SessionAction::Due, self.now)?;
        Ok(self.records.sessions.last().and_then(|session| session.state.payment()))
    }

    /// Applies an action to the last session.
    fn apply(&mut self, action: &SessionAction, now: DateTime<Utc>) -> Result<(), DemoFault> {
        let Some(session) = self.records.sessions.pop() else { return Ok(()) };
        let pending =
            self.records.payments.iter().rposition(|payment| payment.session == session.id && is_open(payment));
        let pending = pending.map(|place| self.records.payments.remove(place));
        let situation = SessionSituation { session, pending, budget: None, may_reconcile: true };
        let decision = self.rule(now, |stamp| decide_session(&situation, action, stamp)).map_err(demo_fault)?;
        if let Some(payment) = situation.pending.filter(|of| decision.payments.iter().all(|known| known.id != of.id)) {
            self.records.payments.push(payment);
        }
        self.records.sessions.push(decision.session);
        self.records.payments.extend(decision.payments);
        self.records.journal.extend(decision.journal);
        Ok(())
    }

    /// Refunds a part of a payment of the last session. The merchant authorises the refund.
    fn refund(&mut self, payment: Option<MerchantPaymentId>, now: DateTime<Utc>) -> Result<(), DemoFault> {
        let found = self.records.payments.iter().find(|known| Some(known.id) == payment).cloned();
        let (Some(payment), Some(session)) = (found, self.records.sessions.last().cloned()) else { return Ok(()) };
        let refund = RefundId(id(Kind::CheckoutPart, self.next_part_number()));
        let request = RefundRequest {
            id: refund,
            payment: MerchantPaymentId(id(Kind::CheckoutPart, self.next_part_number())),
            amount: Minor(500).of(payment.amount.currency),
            reason: Some(Text::parse("One mug was broken")?),
            token: self.tokens.hash_of(&self.seed.account.id, refund.0),
            now,
        };
        let situation = CreateRefundSituation {
            payment,
            session: session.clone(),
            refunded_or_pending: Minor::ZERO,
            source: RefundSource::Ready,
        };
        let refund = decide_create_refund(&situation, &request).map_err(demo_fault)?;
        let confirmed = BankReport { at: now, result: BankReportResult::Confirmed };
        let at_bank = RefundAction::AtBank(PayerDecision::Approve(BankAnswer::Report(confirmed)));
        let situation = RefundSituation { refund, session };
        let change = self.rule(now, |stamp| decide_refund(&situation, at_bank, stamp)).map_err(demo_fault)?;
        self.records.payments.push(change.refund);
        self.records.journal.extend(change.journal);
        Ok(())
    }

    fn top_up(&mut self, budget: &Budget, now: DateTime<Utc>, lifetime: TimeDelta) -> Result<(), DemoFault> {
        let request = TopUpRequest { draft: self.draft(Minor(5_000), now, lifetime)?, budget: budget.id };
        let situation = CreateTopUpSituation { known: None, budget: Some(budget.clone()), taken: BTreeSet::new() };
        self.records.sessions.push(decide_create_top_up(&situation, &request).map_err(demo_fault)?.session);
        Ok(())
    }
}

/// The price of two mugs, and the amount of every session of a checkout.
const PRICE: Minor = Minor(1_250);

fn demo_fault(refusal: impl Display) -> DemoFault {
    DemoFault::Rule(refusal.to_string())
}

fn is_open(payment: &MerchantPayment) -> bool {
    payment.status() == MerchantPaymentStatus::Pending && payment.refund.is_none()
}

/// Derives the payment reference from the id of the session, whose last digits are the number.
fn reference(number: u32) -> PaymentReference {
    PaymentReference::of(id(Kind::CheckoutSession, number))
}

fn basket() -> Result<Basket, DemoFault> {
    let item = BasketItem {
        name: "Mug".into(),
        quantity: Quantity::new(2)?,
        unit_price: PRICE.0 / 2,
        sku: Some("MUG-1".into()),
        product_id: None,
        tax_rate: Some("20.00".into()),
        image_url: None,
    };
    Ok(Basket::new(vec![item])?)
}

/// The address to which the mugs are shipped, and the shipping rate.
fn shipping() -> Result<Shipping, DemoFault> {
    Ok(Shipping {
        recipient_name: "Ada Byron".into(),
        address_line1: "12 St James's Square".into(),
        address_line2: None,
        city: "London".into(),
        region: None,
        postcode: "SW1Y 4JH".into(),
        country_code: CountryCode::parse("GB")?,
        rate: Some(ShippingRate { description: "Standard".into(), amount: 350, service_code: Some("STD".into()) }),
    })
}
