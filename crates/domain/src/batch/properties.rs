//! Random lives of batches: whatever happens, in whatever order and however often, no money is lost or made.

use super::testing::{CLIENT, MAIN, NOW, abroad, created, currency, euros, funding, ids_from, pounds, upload};
use super::*;
use crate::ids::{BudgetId, PaymentId};
use crate::ledger::{Balances, JournalKind, JournalTransaction, LedgerAccount};
use crate::money::{Currency, Minor};
use chrono::TimeDelta;
use proptest::prelude::*;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Something that happens to a batch.
#[derive(Clone, Debug)]
enum Happening {
    Upload(Vec<(u8, u16)>),
    Edit(bool),
    Confirm,
    Cancel,
    Start,
    Take(usize),
    Report(Vec<(usize, PaymentOutcome)>),
}

/// What an adapter would have stored.
struct Store<'a> {
    batch: PaymentBatch,
    payments: Vec<Payment>,
    balances: BatchBalances,
    journal: Vec<JournalTransaction>,
    confirmed: i64,
    ids: &'a dyn Fn() -> Uuid,
}

const FUNDS: i64 = 1_000_000;

impl Store<'_> {
    fn apply(&mut self, happening: &Happening) {
        let stamp = Stamp { now: NOW, ids: self.ids };
        match happening {
            Happening::Upload(rows) => {
                let request = upload(rows.iter().map(|(kind, minor)| row(*kind, *minor)).collect());
                let situation = UploadSituation { batch: self.batch.clone(), funding: funding() };
                if let Ok(decision) = decide_upload(&situation, &request, &stamp) {
                    (self.batch, self.payments) = (decision.batch, decision.payments);
                }
            }
            Happening::Edit(visible) => {
                let edit = BatchEdit { name: None, visible: Some(*visible) };
                self.batch = decide_edit(&self.batch, &edit, NOW);
            }
            Happening::Confirm => {
                let (batch, balances) = (self.batch.clone(), self.balances.clone());
                let situation =
                    ConfirmSituation { batch, session: None, enrolment: None, mfa_required: false, balances };
                if let Ok(done) = decide_confirm(&situation, None, CLIENT, &stamp).answer {
                    self.confirmed += done.batch.costs().unwrap().values().map(|cost| cost.0).sum::<i64>();
                    self.save(Some(done.batch), done.journal, done.balances);
                    self.set_payments(done.payments);
                }
            }
            Happening::Cancel => {
                let situation = CancelSituation { batch: self.batch.clone(), balances: self.balances.clone() };
                if let Ok(done) = decide_cancel(&situation, &stamp) {
                    self.save(Some(done.batch), done.journal, done.balances);
                    self.set_payments(done.payments);
                }
            }
            Happening::Start => {
                if let Ok(done) = decide_start(&self.batch, &stamp) {
                    self.batch = done.batch;
                }
            }
            Happening::Take(max) => {
                let open = self.payments.iter().filter(|payment| payment.status == PaymentStatus::Confirmed);
                let next: Vec<_> = open.take(*max).cloned().collect();
                let taken = decide_take(&self.batch, &next, NOW + TimeDelta::seconds(30), &stamp).payments;
                self.save_payments(taken);
            }
            Happening::Report(reports) => self.report(reports, &stamp),
        }
    }

    fn report(&mut self, reports: &[(usize, PaymentOutcome)], stamp: &Stamp<'_>) {
        if self.payments.is_empty() {
            return;
        }
        let reported = |&(place, outcome): &(usize, _)| {
            let payment = self.payments[place % self.payments.len()].id;
            Reported { payment, report: PaymentReport { outcome, ask_again_at: None } }
        };
        let reports: Vec<_> = reports.iter().map(reported).collect();
        let named = |payment: &&Payment| reports.iter().any(|reported| reported.payment == payment.id);
        let situation = SettleSituation {
            batch: self.batch.clone(),
            payments: self.payments.iter().filter(named).cloned().collect(),
            open: self.payments.iter().filter(|payment| !payment.status.is_final()).count() as u64,
            any_paid: self.payments.iter().any(|payment| payment.status.was_paid()),
            balances: self.balances.clone(),
        };
        let done = decide_settle(&situation, &reports, stamp).unwrap();
        self.save(done.batch, done.journal, done.balances);
        self.save_payments(done.payments);
    }

    fn save(&mut self, batch: Option<PaymentBatch>, journal: Vec<JournalTransaction>, balances: BatchBalances) {
        self.batch = batch.unwrap_or_else(|| self.batch.clone());
        self.journal.extend(journal);
        self.balances.extend(balances);
    }

    fn set_payments(&mut self, status: PaymentStatus) {
        self.payments.iter_mut().for_each(|payment| payment.status = status);
    }

    fn save_payments(&mut self, changed: Vec<Payment>) {
        for payment in changed {
            let place = usize::try_from(payment.index).unwrap();
            self.payments[place] = payment;
        }
    }

    /// The sum of all postings of some kinds of journal transactions to one account outside of budgets.
    fn sum(&self, kinds: &[JournalKind], account: LedgerAccount) -> i64 {
        let entries = self.journal.iter().filter(|entry| kinds.contains(&entry.kind));
        entries
            .flat_map(JournalTransaction::postings)
            .filter(|post| post.account == account)
            .map(|post| post.amount.0)
            .sum()
    }
}

/// A good payment of one of three kinds, or one with a fault.
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

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        2 => proptest::collection::vec((0..10_u8, any::<u16>()), 1..6).prop_map(Happening::Upload),
        1 => proptest::collection::vec((0..12_u8, any::<u16>()), 0..6).prop_map(Happening::Upload),
        1 => any::<bool>().prop_map(Happening::Edit),
        4 => Just(Happening::Confirm),
        1 => Just(Happening::Cancel),
        4 => Just(Happening::Start),
        4 => (1..4_usize).prop_map(Happening::Take),
        8 => proptest::collection::vec((any::<usize>(), outcome()), 1..4).prop_map(Happening::Report),
    ]
}

/// Every balance is what it began with and the sum of its postings.
fn balances_agree(store: &Store<'_>) -> Result<(), TestCaseError> {
    let mut sums: BTreeMap<(BudgetId, Currency), [i64; 2]> = BTreeMap::new();
    for entry in &store.journal {
        prop_assert_eq!(entry.postings().iter().map(|post| post.amount.0).sum::<i64>(), 0);
        for post in entry.postings() {
            match post.account {
                LedgerAccount::Available(budget) => {
                    sums.entry((budget, entry.currency)).or_default()[0] += post.amount.0;
                }
                LedgerAccount::Reserved(budget) => {
                    sums.entry((budget, entry.currency)).or_default()[1] += post.amount.0;
                }
                _ => {}
            }
        }
    }
    for (place, balances) in &store.balances {
        let [available, reserved] = sums.remove(place).unwrap_or_default();
        prop_assert_eq!((balances.available().0, balances.reserved().0), (FUNDS + available, reserved));
        prop_assert_eq!(balances.held(), Minor(0));
        prop_assert_eq!(balances.ledger().0, balances.available().0 + balances.reserved().0);
        prop_assert!(balances.available().0 >= 0);
    }
    Ok(())
}

/// What was confirmed was paid, taken as fees, released, or is still reserved.
fn nothing_is_lost(store: &Store<'_>) -> Result<(), TestCaseError> {
    let paid = store.sum(&[JournalKind::Payment], LedgerAccount::OutboundPayments);
    let returned = -store.sum(&[JournalKind::PaymentReturn], LedgerAccount::OutboundPayments);
    let fees = store.sum(&[JournalKind::Payment], LedgerAccount::Fees);
    let available = LedgerAccount::Available(MAIN);
    let released = store.sum(&[JournalKind::PaymentRelease, JournalKind::BatchRelease], available);
    let reserved: i64 = store.balances.values().map(|balances| balances.reserved().0).sum();
    prop_assert_eq!(store.confirmed, paid + fees + released + reserved);
    // Nothing stays reserved but for payments that are still open.
    let open = |payment: &&Payment| matches!(payment.status, PaymentStatus::Confirmed | PaymentStatus::Started);
    let open_costs = store.payments.iter().filter(open).filter_map(|payment| payment.terms.as_ref()?.cost());
    prop_assert_eq!(reserved, open_costs.map(|cost| cost.0).sum::<i64>());
    let now: i64 = store.balances.values().map(|balances| balances.ledger().0).sum();
    let began = FUNDS * i64::try_from(store.balances.len()).unwrap();
    prop_assert_eq!(now, began - paid - fees + returned);
    Ok(())
}

/// Each payment was paid or released once at most, and came back once at most, as its status says.
fn final_once(store: &Store<'_>) -> Result<(), TestCaseError> {
    let mut ends: BTreeMap<PaymentId, [u32; 3]> = BTreeMap::new();
    for entry in &store.journal {
        let ends = ends.entry(PaymentId(entry.cause)).or_default();
        match entry.kind {
            JournalKind::Payment => ends[0] += 1,
            JournalKind::PaymentRelease => ends[1] += 1,
            JournalKind::PaymentReturn => ends[2] += 1,
            _ => {}
        }
    }
    for payment in &store.payments {
        let wanted = match payment.status {
            PaymentStatus::Completed => [1, 0, 0],
            PaymentStatus::Failed => [0, 1, 0],
            PaymentStatus::Returned => [1, 0, 1],
            _ => [0, 0, 0],
        };
        prop_assert_eq!(ends.get(&payment.id).copied().unwrap_or_default(), wanted);
    }
    let all_final = store.payments.iter().all(|payment| payment.status.is_final());
    let ended = matches!(store.batch.status, PaymentBatchStatus::Completed | PaymentBatchStatus::Failed);
    prop_assert!(!ended || all_final);
    prop_assert!(!(all_final && store.batch.status == PaymentBatchStatus::Started));
    Ok(())
}

proptest! {
    #[test]
    fn no_money_is_lost_or_made(happenings in proptest::collection::vec(happening(), 1..40)) {
        let ids = ids_from(100_000);
        let funds = Balances::new(Minor(FUNDS), Minor(0), Minor(0)).unwrap();
        let mut store = Store {
            batch: created(None).batch,
            payments: Vec::new(),
            balances: ["GBP", "EUR"].map(|code| ((MAIN, currency(code)), funds)).into(),
            journal: Vec::new(),
            confirmed: 0,
            ids: &ids,
        };
        for happening in &happenings {
            store.apply(happening);
            balances_agree(&store)?;
            nothing_is_lost(&store)?;
            final_once(&store)?;
        }
    }
}
