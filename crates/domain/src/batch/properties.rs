//! Property tests of random histories of a batch: no money is lost or created, whatever actions happen, in any order.

use super::testing::{MAIN, abroad, currency, euros, pounds};
use super::*;
use crate::ids::{BudgetId, PaymentId};
use crate::ledger::{JournalKind, JournalTransaction, Pool};
use crate::money::{Currency, Minor};
use crate::test_support::{BatchScenario, a_budget};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An action on a batch.
#[derive(Clone, Debug)]
enum BatchAction {
    Upload(Vec<(u8, u16)>),
    Edit(bool),
    Confirm,
    Cancel,
    Start,
    StartPayments(usize),
    Report(Vec<(usize, PaymentOutcome)>),
}

/// The history of a batch, with the total cost of its confirmations.
struct History {
    scenario: BatchScenario,
    confirmed_cost: i64,
}

const FUNDS: i64 = 1_000_000;

impl History {
    /// Applies an action. The rules may refuse it.
    fn apply(&mut self, action: &BatchAction) {
        let scenario = &mut self.scenario;
        match action {
            BatchAction::Upload(rows) => {
                scenario.upload(rows.iter().map(|(kind, minor)| row(*kind, *minor))).ok();
            }
            BatchAction::Edit(visible) => scenario.edit(&BatchEdit { name: None, visible: Some(*visible) }),
            BatchAction::Confirm => {
                if let Ok(done) = scenario.confirm() {
                    self.confirmed_cost += done.batch.costs().unwrap().values().map(|cost| cost.0).sum::<i64>();
                }
            }
            BatchAction::Cancel => {
                scenario.cancel().ok();
            }
            BatchAction::Start => {
                scenario.start().ok();
            }
            BatchAction::StartPayments(max) => scenario.start_payments(*max),
            BatchAction::Report(reports) if !scenario.payments.is_empty() => {
                let payments = scenario.payments.len();
                let reports: Vec<_> = reports.iter().map(|(place, outcome)| (place % payments, *outcome)).collect();
                scenario.report(&reports).unwrap();
            }
            BatchAction::Report(_) => {}
        }
    }

    /// Returns the sum of the postings to one pool, of some kinds of journal transactions.
    fn sum(&self, kinds: &[JournalKind], pool: Pool) -> i64 {
        let entries = self.scenario.journal.iter().filter(|entry| kinds.contains(&entry.kind));
        entries.flat_map(JournalTransaction::postings).filter(|post| post.pool == pool).map(|post| post.amount.0).sum()
    }
}

/// Creates a valid payment of one of three kinds, or a payment with an error.
fn row(kind: u8, minor: u16) -> PaymentInput {
    let amount = Minor(i64::from(minor) + 1).of(currency("GBP")).to_string();
    match kind {
        0..=3 => pounds(&amount),
        4..=6 => euros(&amount),
        7..=9 => abroad(&amount),
        _ => pounds("wrong"),
    }
}

fn outcome() -> impl Strategy<Value = PaymentOutcome> {
    prop_oneof![
        Just(PaymentOutcome::Pending),
        Just(PaymentOutcome::Completed),
        Just(PaymentOutcome::Failed(FailureReason::AccountClosed)),
        Just(PaymentOutcome::Returned(FailureReason::NameMismatch)),
    ]
}

fn action() -> impl Strategy<Value = BatchAction> {
    prop_oneof![
        2 => proptest::collection::vec((0..10_u8, any::<u16>()), 1..6).prop_map(BatchAction::Upload),
        1 => proptest::collection::vec((0..12_u8, any::<u16>()), 0..6).prop_map(BatchAction::Upload),
        1 => any::<bool>().prop_map(BatchAction::Edit),
        4 => Just(BatchAction::Confirm),
        1 => Just(BatchAction::Cancel),
        4 => Just(BatchAction::Start),
        4 => (1..4_usize).prop_map(BatchAction::StartPayments),
        8 => proptest::collection::vec((any::<usize>(), outcome()), 1..4).prop_map(BatchAction::Report),
    ]
}

/// Checks that every balance is its initial value plus the sum of its postings.
fn balances_agree(history: &History) -> Result<(), TestCaseError> {
    let mut sums: BTreeMap<(BudgetId, Currency), [i64; 2]> = BTreeMap::new();
    for entry in &history.scenario.journal {
        prop_assert_eq!(entry.postings().iter().map(|post| post.amount.0).sum::<i64>(), 0);
        for post in entry.postings() {
            match post.pool {
                Pool::Available(budget) => {
                    sums.entry((budget, entry.currency)).or_default()[0] += post.amount.0;
                }
                Pool::Reserved(budget) => {
                    sums.entry((budget, entry.currency)).or_default()[1] += post.amount.0;
                }
                _ => {}
            }
        }
    }
    for (key, balances) in &history.scenario.balances {
        let [available, reserved] = sums.remove(key).unwrap_or_default();
        prop_assert_eq!((balances.available().0, balances.reserved().0), (FUNDS + available, reserved));
        prop_assert_eq!(balances.held(), Minor(0));
        prop_assert_eq!(balances.ledger().0, balances.available().0 + balances.reserved().0);
        prop_assert!(balances.available().0 >= 0);
    }
    Ok(())
}

/// Checks that confirmed money was paid, charged as a fee or released, or is still reserved.
fn nothing_is_lost(history: &History) -> Result<(), TestCaseError> {
    let paid = history.sum(&[JournalKind::Payment], Pool::OutboundPayments);
    let returned = -history.sum(&[JournalKind::PaymentReturn], Pool::OutboundPayments);
    let fees = history.sum(&[JournalKind::Payment], Pool::Fees);
    let available = Pool::Available(MAIN);
    let released = history.sum(&[JournalKind::PaymentRelease, JournalKind::BatchRelease], available);
    let reserved: i64 = history.scenario.balances.values().map(|balances| balances.reserved().0).sum();
    prop_assert_eq!(history.confirmed_cost, paid + fees + released + reserved);
    // Money stays reserved only for payments that are still open.
    let open = |payment: &&Payment| matches!(payment.status(), PaymentStatus::Confirmed | PaymentStatus::Started);
    let open_costs = history.scenario.payments.iter().filter(open).filter_map(|payment| payment.terms()?.cost());
    prop_assert_eq!(reserved, open_costs.map(|cost| cost.0).sum::<i64>());
    let current: i64 = history.scenario.balances.values().map(|balances| balances.ledger().0).sum();
    let initial = FUNDS * i64::try_from(history.scenario.balances.len()).unwrap();
    prop_assert_eq!(current, initial - paid - fees + returned);
    Ok(())
}

/// Checks that each payment was paid, released and returned as often as its status requires, at most once each.
fn each_payment_ends_once(history: &History) -> Result<(), TestCaseError> {
    let mut ends: BTreeMap<PaymentId, [u32; 3]> = BTreeMap::new();
    for entry in &history.scenario.journal {
        let ends = ends.entry(PaymentId(entry.cause)).or_default();
        match entry.kind {
            JournalKind::Payment => ends[0] += 1,
            JournalKind::PaymentRelease => ends[1] += 1,
            JournalKind::PaymentReturn => ends[2] += 1,
            _ => {}
        }
    }
    for payment in &history.scenario.payments {
        let expected = match payment.status() {
            PaymentStatus::Completed => [1, 0, 0],
            PaymentStatus::Failed => [0, 1, 0],
            PaymentStatus::Returned => [1, 0, 1],
            _ => [0, 0, 0],
        };
        prop_assert_eq!(ends.get(&payment.id).copied().unwrap_or_default(), expected);
    }
    let all_final = history.scenario.payments.iter().all(|payment| payment.status().is_final());
    let ended = matches!(history.scenario.batch.status(), PaymentBatchStatus::Completed | PaymentBatchStatus::Failed);
    prop_assert!(!ended || all_final);
    prop_assert!(!(all_final && history.scenario.batch.status() == PaymentBatchStatus::Started));
    Ok(())
}

proptest! {
    #[test]
    fn no_money_is_lost_or_created(actions in proptest::collection::vec(action(), 1..40)) {
        let budget = a_budget().with("10000.00 GBP").with("10000.00 EUR");
        let mut history = History { scenario: BatchScenario::of(budget), confirmed_cost: 0 };
        for action in &actions {
            history.apply(action);
            balances_agree(&history)?;
            nothing_is_lost(&history)?;
            each_payment_ends_once(&history)?;
        }
    }
}
