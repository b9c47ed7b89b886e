//! Property tests of random steps of a session. They compare the rules with a small model of the contract's table of
//! session statuses.

use super::{
    MerchantPayment, MerchantPaymentStatus, PayerDecision, PayerOutcome, SessionAction, SessionPurpose, SessionRefusal,
    SessionState, SessionStatus,
};
use crate::event::EventKind;
use crate::ids::MerchantPaymentId;
use crate::money::Minor;
use crate::test_support::{
    SessionScenario, a_bank_choice, a_budget, a_checkout, a_payee, a_session, a_shipping, a_shipping_rate, a_top_up,
    collecting_shipping, minor, noon,
};
use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

/// The time of `expiresAt`, in minutes after noon.
const EXPIRY: i64 = 20;
const PRICE: i64 = 1250;

/// A step.
#[derive(Clone, Debug)]
enum Step {
    Due,
    Begin,
    /// The payer chooses a shipping rate with this price.
    Rate(i64),
    Choose,
    /// The payer decides at the bank about the payment with this index. The bank reports after some minutes.
    AtBank(usize, PayerOutcome, i64),
    Pay(PayerOutcome, i64),
    MerchantCancels,
    PayerCancels,
}

fn step() -> impl Strategy<Value = (i64, Step)> {
    let outcome = || prop::sample::select(&PayerOutcome::ALL[..]);
    let delay = || prop_oneof![Just(0_i64), 1_i64..25];
    let step = prop_oneof![
        3 => Just(Step::Due),
        3 => Just(Step::Begin),
        2 => (0_i64..300).prop_map(Step::Rate),
        6 => Just(Step::Choose),
        8 => (0_usize..5, outcome(), delay())
            .prop_map(|(payment, outcome, delay)| Step::AtBank(payment, outcome, delay)),
        3 => (outcome(), delay()).prop_map(|(outcome, delay)| Step::Pay(outcome, delay)),
        1 => Just(Step::MerchantCancels),
        1 => Just(Step::PayerCancels),
    ];
    (prop_oneof![4 => Just(0_i64), 4 => 1_i64..8, 1 => Just(EXPIRY)], step)
}

/// The kind of session, by the recipient of its money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shopping,
    Payee,
    Budget,
}

/// The model: what the contract's table requires. Times are minutes after noon, and a payment is identified by its
/// index.
#[derive(Clone, Debug)]
struct Model {
    status: SessionStatus,
    begun: bool,
    /// The time of the last change of the status.
    changed: i64,
    price: i64,
    payments: Vec<MerchantPaymentStatus>,
    /// The time of the bank's report, and whether it is a confirmation.
    report: Option<(i64, bool)>,
    failures: Vec<i64>,
}

impl Model {
    fn new() -> Self {
        Self {
            status: SessionStatus::Open,
            begun: false,
            changed: 0,
            price: PRICE,
            payments: Vec::new(),
            report: None,
            failures: Vec::new(),
        }
    }

    fn pending(&mut self) -> Option<&mut MerchantPaymentStatus> {
        self.payments.last_mut().filter(|status| **status == MerchantPaymentStatus::Pending)
    }

    fn end_pending(&mut self, end: MerchantPaymentStatus) {
        if let Some(pending) = self.pending() {
            *pending = end;
        }
    }

    fn become_at(&mut self, status: SessionStatus, minute: i64) {
        (self.status, self.changed) = (status, minute);
    }

    /// Applies everything that is due until a minute.
    fn advance(&mut self, now: i64) {
        if let Some((at, confirms)) = self.report.filter(|(at, _)| *at <= now) {
            self.report = None;
            if confirms {
                self.end_pending(MerchantPaymentStatus::Completed);
                self.become_at(SessionStatus::Completed, at);
            } else {
                self.end_pending(MerchantPaymentStatus::Failed);
                self.failures.push(at);
                let is_late = at >= EXPIRY;
                self.become_at(if is_late { SessionStatus::Abandoned } else { SessionStatus::Open }, at);
            }
        }
        if self.status == SessionStatus::Open && now >= EXPIRY {
            self.end_pending(MerchantPaymentStatus::Cancelled);
            self.become_at(if self.begun { SessionStatus::Abandoned } else { SessionStatus::Expired }, EXPIRY);
        }
    }

    fn choose(&mut self) {
        self.begun = true;
        self.end_pending(MerchantPaymentStatus::Cancelled);
        self.payments.push(MerchantPaymentStatus::Pending);
    }

    fn at_bank(&mut self, outcome: PayerOutcome, delay: i64, now: i64) {
        match outcome {
            PayerOutcome::Reject => {
                self.end_pending(MerchantPaymentStatus::Failed);
                self.failures.push(now);
            }
            PayerOutcome::Leave => self.end_pending(MerchantPaymentStatus::Cancelled),
            PayerOutcome::Approve | PayerOutcome::Pending => self.start_processing((delay, true), outcome, now),
            // The payer approves, and the bank reports a failure later.
            _ => self.start_processing((delay, false), outcome, now),
        }
    }

    fn start_processing(&mut self, (delay, confirms): (i64, bool), outcome: PayerOutcome, now: i64) {
        let delay = if outcome == PayerOutcome::Approve { 0 } else { delay };
        self.become_at(SessionStatus::Processing, now);
        self.report = Some((now + delay, confirms));
    }

    /// Applies a step, and returns whether it is accepted.
    fn apply(&mut self, step: &Step, kind: Kind, now: i64) -> bool {
        self.advance(now);
        let is_open = self.status == SessionStatus::Open;
        match step {
            Step::Rate(_) | Step::Choose | Step::Pay(..) | Step::MerchantCancels if !is_open => return false,
            Step::Rate(_) if kind != Kind::Shopping => return false,
            Step::Begin => self.begun |= is_open,
            Step::Rate(rate) => {
                self.begun = true;
                self.price = PRICE + rate;
                self.end_pending(MerchantPaymentStatus::Cancelled);
            }
            Step::Choose => self.choose(),
            Step::Pay(outcome, delay) => {
                self.choose();
                self.at_bank(*outcome, *delay, now);
            }
            Step::AtBank(payment, outcome, delay) => {
                let is_current = *payment + 1 == self.payments.len() && self.pending().is_some();
                if is_open && is_current {
                    self.at_bank(*outcome, *delay, now);
                }
            }
            Step::MerchantCancels | Step::PayerCancels if is_open => {
                self.end_pending(MerchantPaymentStatus::Cancelled);
                self.become_at(SessionStatus::Cancelled, now);
            }
            Step::Due | Step::MerchantCancels | Step::PayerCancels => {}
        }
        self.advance(now);
        true
    }

    /// Returns the expected events with their minutes: first those of failed payments, then those of the end.
    fn events(&self, kind: Kind, may_reconcile: bool) -> Vec<(EventKind, i64)> {
        let mut events: Vec<_> = self.failures.iter().map(|at| (EventKind::MerchantPaymentFailed, *at)).collect();
        let end = match self.status {
            SessionStatus::Completed if kind == Kind::Budget => Some(EventKind::BoxCredited),
            SessionStatus::Open | SessionStatus::Processing => None,
            _ if kind == Kind::Budget => None,
            SessionStatus::Completed => Some(EventKind::MerchantCheckoutSessionCompleted),
            SessionStatus::Cancelled => Some(EventKind::MerchantCheckoutSessionCancelled),
            SessionStatus::Abandoned => Some(EventKind::MerchantCheckoutSessionAbandoned),
            SessionStatus::Expired => Some(EventKind::MerchantCheckoutSessionExpired),
        };
        events.extend(end.map(|end| (end, self.changed)));
        let is_reconciled = may_reconcile && self.status == SessionStatus::Completed && kind != Kind::Budget;
        events.extend(is_reconciled.then_some((EventKind::MerchantPaymentReconciled, self.changed)));
        events
    }
}

fn scenario(kind: Kind, may_reconcile: bool) -> SessionScenario {
    let mut session = a_session("12.50 GBP");
    let scenario = match kind {
        Kind::Shopping => {
            session.shipping = Some(a_shipping());
            SessionScenario::of(collecting_shipping(session, false))
        }
        Kind::Payee => {
            session.purpose = SessionPurpose::Payee { checkout: a_checkout().id, payee: a_payee(1).id };
            SessionScenario::of(session)
        }
        Kind::Budget => SessionScenario::of(a_top_up("12.50 GBP")).crediting(a_budget().with("100.00 GBP")),
    };
    if may_reconcile { scenario.reconciled() } else { scenario }
}

fn action(scenario: &SessionScenario, step: &Step) -> SessionAction {
    let decision = |outcome, delay| -> PayerDecision { scenario.decision(outcome, delay) };
    match step {
        Step::Due => SessionAction::Due,
        Step::Begin => SessionAction::Begin,
        Step::Rate(rate) => {
            let mut price = a_shipping_rate("0.00 GBP");
            price.amount = *rate;
            SessionAction::Rate(price)
        }
        Step::Choose => SessionAction::ChooseBank(a_bank_choice()),
        Step::AtBank(payment, outcome, delay) => {
            let unknown = MerchantPaymentId(Uuid::nil());
            let id = scenario.payments.get(*payment).map_or(unknown, |payment| payment.id);
            SessionAction::AtBank(id, decision(*outcome, *delay))
        }
        Step::Pay(outcome, delay) => {
            let decision = decision(*outcome, *delay);
            SessionAction::Pay { bank: a_bank_choice(), shipping: None, decision }
        }
        Step::MerchantCancels => SessionAction::MerchantCancels,
        Step::PayerCancels => SessionAction::PayerCancels,
    }
}

/// Checks the invariants of every session, independently of the model.
fn check_invariants(scenario: &SessionScenario, kind: Kind) -> Result<(), TestCaseError> {
    let session = scenario.session();
    let of = |status| scenario.payments.iter().filter(move |payment| payment.status() == status);
    prop_assert!(of(MerchantPaymentStatus::Pending).count() <= 1);
    let is_completed = session.status() == SessionStatus::Completed;
    let completed: Vec<_> = of(MerchantPaymentStatus::Completed).collect();
    prop_assert_eq!((completed.len(), scenario.journal.len()), (usize::from(is_completed), usize::from(is_completed)));
    prop_assert_eq!(session.state.payment(), completed.first().map(|payment| payment.id));
    prop_assert_eq!(session.state.order().is_some(), is_completed && kind == Kind::Shopping);
    prop_assert_eq!(scenario.payments.iter().any(MerchantPayment::has_final_order), is_completed);
    let completed_at = session.state.completed_at();
    prop_assert_eq!(completed_at, is_completed.then_some(session.updated_at));
    for (payment, journal) in completed.iter().zip(&scenario.journal) {
        prop_assert_eq!((payment.amount, payment.state.completed_at()), (session.amount, completed_at));
        let amounts: Vec<_> = journal.postings().iter().map(|posting| posting.amount.0).collect();
        prop_assert_eq!(amounts, [-session.amount.minor.0, session.amount.minor.0]);
        prop_assert_eq!((Some(journal.at), journal.cause), (completed_at, payment.id.0));
    }
    if let Some(pending) = &scenario.situation.pending {
        prop_assert!(!session.status().is_end());
        prop_assert_eq!(pending.state.report().is_some(), session.status() == SessionStatus::Processing);
        prop_assert_eq!(pending.amount, session.amount);
    }
    let due_at = match session.status() {
        SessionStatus::Open => Some(session.expires_at),
        SessionStatus::Processing => {
            scenario.situation.pending.as_ref().and_then(|payment| payment.state.report()).map(|report| report.at)
        }
        _ => None,
    };
    prop_assert_eq!(session.due_at(), due_at);
    let (expires_at, stored) = (session.expires_at, session.state.parts(session.expires_at));
    let loaded = SessionState::from_parts(session.purpose.kind(), expires_at, session.status(), stored);
    prop_assert_eq!(loaded, Some(session.state), "every state can be stored and loaded");
    if let Some(credit) = &scenario.situation.budget {
        let available = credit.budget.in_currency(session.amount.currency).unwrap().available();
        let paid = if is_completed { session.amount.minor } else { Minor::ZERO };
        prop_assert_eq!(available, minor("100.00 GBP").plus(paid).unwrap());
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_steps_follow_the_table_of_statuses(
        kind in prop::sample::select(&[Kind::Shopping, Kind::Payee, Kind::Budget][..]),
        may_reconcile in any::<bool>(),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let (mut scenario, mut model, mut now) = (scenario(kind, may_reconcile), Model::new(), 0);
        for (wait, step) in steps {
            now += wait;
            scenario.wait(wait);
            let before = scenario.clone();
            let action = action(&scenario, &step);
            prop_assert_eq!(scenario.preview(&action), scenario.preview(&action), "the decision is the same again");
            let mut next = model.clone();
            let is_accepted = next.apply(&step, kind, now);
            match scenario.apply(&action) {
                Ok(()) => prop_assert!(is_accepted, "{step:?}"),
                Err(SessionRefusal::NotOpen(status)) => prop_assert_eq!((is_accepted, status), (false, next.status)),
                Err(refusal) => {
                    let is_rate = matches!(step, Step::Rate(_)) && kind != Kind::Shopping;
                    prop_assert!(is_rate && refusal == SessionRefusal::ShippingRequired, "{refusal:?}");
                }
            }
            if is_accepted {
                model = next;
                let session = scenario.session();
                let has_begun = session.state.has_begun();
                prop_assert_eq!((session.status(), has_begun), (model.status, model.begun), "{:?}", step);
                prop_assert_eq!(session.amount.minor, Minor(model.price));
                prop_assert_eq!(scenario.payment_statuses(), model.payments.clone(), "{:?}", step);
                if model.status != SessionStatus::Open {
                    prop_assert_eq!(session.updated_at, noon() + TimeDelta::minutes(model.changed));
                }
                let events = model.events(kind, may_reconcile).into_iter();
                let events: Vec<_> = events.map(|(kind, at)| (kind, noon() + TimeDelta::minutes(at))).collect();
                prop_assert_eq!(scenario.event_log(), events);
                let again = scenario.preview(&SessionAction::Due).unwrap();
                prop_assert_eq!(&again.session, scenario.session(), "nothing more is due");
                prop_assert!(again.payments.is_empty() && again.journal.is_none() && again.events.is_empty());
            }
            if before.status().is_end() {
                prop_assert_eq!(before.session(), scenario.session(), "an end is final");
                prop_assert_eq!(&before.payments, &scenario.payments);
            }
            check_invariants(&scenario, kind)?;
        }
    }
}
