//! Property tests of random steps of the refunds of a payment.

use super::{
    BankVisit, CreateRefundSituation, MAX_REFUND, MerchantPayment, PayerOutcome, RefundAction, RefundRefusal,
    RefundRequest, RefundSituation, RefundSource, RefundStatus, decide_create_refund, decide_refund,
};
use crate::event::EventKind;
use crate::ids::{MerchantPaymentId, RefundId};
use crate::ledger::{JournalTransaction, Pool};
use crate::money::{Minor, Money};
use crate::stamp::Stamp;
use crate::test_support::{CountingIds, a_completed_session, a_refund_request, noon};
use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

/// The amount of the payment, in minor units. It is above the maximum of one refund.
const PAID: i64 = 150_000;

/// A step.
#[derive(Clone, Debug)]
enum Step {
    /// The merchant creates a refund of this amount.
    Create(i64),
    /// The merchant decides about the refund with this index. The bank reports after some minutes.
    Decide(usize, PayerOutcome, i64),
    /// What is due on the refund with this index is applied.
    Due(usize),
}

fn step() -> impl Strategy<Value = (i64, Step)> {
    let amount = prop_oneof![4 => 1_i64..60_000, 1 => Just(MAX_REFUND.0), 1 => Just(MAX_REFUND.0 + 1), 1 => Just(PAID)];
    let outcome = prop::sample::select(&PayerOutcome::ALL[..]);
    let step = prop_oneof![
        5 => amount.prop_map(Step::Create),
        5 => (0_usize..6, outcome, 1_i64..30).prop_map(|(refund, outcome, delay)| Step::Decide(refund, outcome, delay)),
        2 => (0_usize..6).prop_map(Step::Due),
    ];
    (prop_oneof![4 => Just(0_i64), 4 => 1_i64..8, 1 => Just(20_i64)], step)
}

/// The refunds of a payment, and what they caused.
struct RefundRun {
    situation: CreateRefundSituation,
    refunds: Vec<MerchantPayment>,
    journal: Vec<JournalTransaction>,
    completed_events: usize,
    ids: CountingIds,
}

impl RefundRun {
    fn new() -> Self {
        let (session, payment) = a_completed_session("1500.00 GBP");
        let situation =
            CreateRefundSituation { payment, session, refunded_or_pending: Minor::ZERO, source: RefundSource::Ready };
        let ids = CountingIds::starting_at(1_000);
        Self { situation, refunds: Vec::new(), journal: Vec::new(), completed_events: 0, ids }
    }

    fn sum(&self, counts: impl Fn(&MerchantPayment) -> bool) -> i64 {
        self.refunds.iter().filter(|refund| counts(refund)).map(|refund| refund.amount.minor.0).sum()
    }

    /// Creates a refund, and returns the refusal.
    fn create(&mut self, amount: i64, minutes: i64) -> Option<RefundRefusal> {
        let amount = Money { minor: Minor(amount), ..self.situation.payment.amount };
        let request = RefundRequest {
            id: RefundId(self.ids.next_id()),
            payment: MerchantPaymentId(self.ids.next_id()),
            amount,
            now: noon() + TimeDelta::minutes(minutes),
            ..a_refund_request("1.00 GBP")
        };
        let refunded_or_pending = Minor(self.sum(MerchantPayment::counts_against_payment));
        let situation = CreateRefundSituation { refunded_or_pending, ..self.situation.clone() };
        match decide_create_refund(&situation, &request) {
            Ok(refund) => {
                self.refunds.push(refund);
                None
            }
            Err(refusal) => Some(refusal),
        }
    }

    /// Applies an action to a refund, and returns the refusal.
    fn apply(&mut self, place: usize, action: RefundAction, minutes: i64) -> Option<RefundRefusal> {
        let refund = self.refunds.get(place)?.clone();
        let situation = RefundSituation { refund, session: self.situation.session.clone() };
        let stamp = Stamp { now: noon() + TimeDelta::minutes(minutes), ids: self.ids.source() };
        match decide_refund(&situation, action, &stamp) {
            Ok(change) => {
                self.refunds[place] = change.refund;
                self.journal.extend(change.journal);
                let completed = |event: &&crate::event::Event| event.kind == EventKind::MerchantRefundCompleted;
                self.completed_events += change.events.iter().filter(completed).count();
                None
            }
            Err(refusal) => Some(refusal),
        }
    }

    /// Checks the invariants of every payment with refunds.
    fn check(&self) -> Result<(), TestCaseError> {
        prop_assert!(self.sum(MerchantPayment::counts_against_payment) <= PAID);
        let is_completed = |refund: &MerchantPayment| refund.refund_status() == RefundStatus::Completed;
        let completed: Vec<&MerchantPayment> = self.refunds.iter().filter(|refund| is_completed(refund)).collect();
        let causes: Vec<Uuid> = self.journal.iter().map(|journal| journal.cause).collect();
        prop_assert_eq!((causes.len(), self.completed_events), (completed.len(), completed.len()));
        prop_assert!(completed.iter().all(|refund| causes.contains(&refund.id.0)));
        let back = self.journal.iter().flat_map(JournalTransaction::postings);
        let back: i64 = back.filter(|posting| posting.pool == Pool::PayerBanks).map(|posting| posting.amount.0).sum();
        prop_assert_eq!(back, self.sum(is_completed));
        Ok(())
    }
}

proptest! {
    #[test]
    fn refunds_never_exceed_the_payment(steps in prop::collection::vec(step(), 1..30)) {
        let (mut refunds, mut now) = (RefundRun::new(), 0);
        for (wait, step) in steps {
            now += wait;
            match step {
                Step::Create(amount) => {
                    let left = PAID - refunds.sum(MerchantPayment::counts_against_payment);
                    let currency = refunds.situation.payment.amount.currency;
                    let expected = if amount > left {
                        Some(RefundRefusal::AboveRemainder(Minor(left).of(currency)))
                    } else {
                        (amount > MAX_REFUND.0).then(|| RefundRefusal::AboveMaximum(MAX_REFUND.of(currency)))
                    };
                    prop_assert_eq!(refunds.create(amount, now), expected);
                }
                Step::Decide(place, outcome, delay) => {
                    // What is due is applied first, so that `before` is the status that the decision reads.
                    prop_assert_eq!(refunds.apply(place, RefundAction::Due, now), None);
                    let visit = BankVisit::new(outcome, outcome.delayed().map(|_| delay)).unwrap();
                    let decision = visit.decision(noon() + TimeDelta::minutes(now));
                    let before = refunds.refunds.get(place).map(MerchantPayment::refund_status);
                    let refusal = refunds.apply(place, RefundAction::AtBank(decision), now);
                    let is_over = before.filter(|status| *status != RefundStatus::AwaitingAuthorisation);
                    prop_assert_eq!(refusal, is_over.map(RefundRefusal::NotAwaiting));
                }
                Step::Due(place) => {
                    prop_assert_eq!(refunds.apply(place, RefundAction::Due, now), None);
                    let before = refunds.refunds.clone();
                    prop_assert_eq!(refunds.apply(place, RefundAction::Due, now), None);
                    prop_assert_eq!(&refunds.refunds, &before, "nothing more is due");
                }
            }
            refunds.check()?;
        }
    }
}
