//! Tests of activity.

use super::*;
use crate::batch::{PaymentInput, PaymentNetwork, PaymentStatus, PaymentTerms};
use crate::card::MessageKind;
use crate::ids::{MerchantPaymentId, OrderId, PaymentBatchId, PaymentId, TransferId};
use crate::ledger::Posting;
use crate::test_support::a_payment_state;
use uuid::Uuid;

fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

fn payment(status: PaymentStatus) -> Payment {
    let terms = PaymentTerms {
        order: OrderId(Uuid::from_u128(3)),
        budget: BudgetId(Uuid::from_u128(4)),
        currency: gbp(),
        amount: Minor(100),
        fee: Minor(5),
        network: PaymentNetwork::Swift,
    };
    Payment {
        id: PaymentId(Uuid::from_u128(1)),
        account: account(),
        batch: PaymentBatchId(Uuid::from_u128(2)),
        index: 0,
        state: a_payment_state(status, terms),
        input: PaymentInput::default(),
        created_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
    }
}

fn credit() -> Activity {
    let (id, budget) = (JournalId(Uuid::from_u128(9)), BudgetId(Uuid::from_u128(4)));
    let at = DateTime::UNIX_EPOCH;
    Credited { id, account: account(), budget, currency: gbp(), amount: Minor(7), at }.with(None)
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = ActivityType::ALL.into_iter().map(ActivityType::as_str).collect();
    assert!(names.contains(&"authorization.clearing") && names.contains(&"credit") && names.contains(&"payment"));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ActivityType::ALL.len());
    let mut states: Vec<_> = ActivityStatus::ALL.into_iter().map(ActivityStatus::as_str).collect();
    states.sort_unstable();
    states.dedup();
    assert_eq!(states.len(), ActivityStatus::ALL.len());
}

#[test]
fn a_payment_debits_its_cost_until_it_fails_or_is_returned() {
    for (status, expected) in [
        (PaymentStatus::Created, None),
        (PaymentStatus::Validated, None),
        (PaymentStatus::Cancelled, None),
        (PaymentStatus::Confirmed, Some(-105)),
        (PaymentStatus::Started, Some(-105)),
        (PaymentStatus::Completed, Some(-105)),
        (PaymentStatus::Failed, Some(0)),
        (PaymentStatus::Returned, Some(-5)),
    ] {
        let seen = Activity::of_payment(payment(status));
        assert_eq!(seen.map(|seen| seen.impacted.0), expected, "{status}");
    }
}

#[test]
fn only_credits_and_top_ups_are_movements_of_the_journal() {
    let budget = BudgetId(Uuid::from_u128(4));
    let post = |pool, amount| Posting { pool, amount: Minor(amount) };
    let postings = [post(Pool::InboundPayments, -7), post(Pool::Available(budget), 7)];
    let journal = |kind| {
        let id = JournalId(Uuid::from_u128(9));
        JournalTransaction::new(id, account(), (kind, id.0), gbp(), DateTime::UNIX_EPOCH, postings).unwrap()
    };
    assert_eq!(Activity::of_journal(&journal(JournalKind::Credit), None), Some(credit()));
    let deposit = Activity::of_journal(&journal(JournalKind::TopUp), None).unwrap();
    assert_eq!((deposit.kind, deposit.impacted), (ActivityType::Deposit, Minor(7)));
    assert_eq!(deposit.detail, ActivityDetail::Deposit(MerchantPaymentId(Uuid::from_u128(9))));
    assert_eq!(Activity::of_journal(&journal(JournalKind::Card), None), None);
}

#[test]
fn a_transfer_matches_both_of_its_budgets() {
    let (from, to) = (BudgetId(Uuid::from_u128(4)), BudgetId(Uuid::from_u128(5)));
    let transfer = Transfer {
        id: TransferId(Uuid::from_u128(6)),
        number: 1,
        account: account(),
        from,
        to,
        currency: gbp(),
        amount: Minor(30),
        journal: JournalId(Uuid::from_u128(7)),
        reference: None,
        created_at: DateTime::UNIX_EPOCH,
    };
    let seen = Activity::of_transfer(transfer).unwrap();
    assert_eq!(
        (seen.budget, seen.amount, seen.impacted, seen.status),
        (from, Minor(30), Minor(-30), ActivityStatus::Completed)
    );
    for (budget, expected) in [(from, true), (to, true), (BudgetId(Uuid::nil()), false)] {
        assert_eq!(ActivityFilter { budget: Some(budget), ..ActivityFilter::default() }.matches(&seen), expected);
    }
}

#[test]
fn a_filter_reads_only_sources_that_can_match() {
    let reached = |filter: ActivityFilter| ActivitySource::ALL.map(|source| filter.reaches(source));
    let none = ActivityFilter::default();
    assert_eq!(reached(none), [true; 5]);
    assert_eq!(reached(ActivityFilter { card: Some(CardId(Uuid::nil())), ..none }), [true, false, false, false, false]);
    assert_eq!(
        reached(ActivityFilter { status: Some(ActivityStatus::Completed), ..none }),
        [false, true, true, true, true]
    );
    assert_eq!(
        reached(ActivityFilter { status: Some(ActivityStatus::Declined), ..none }),
        [true, false, false, false, false]
    );
    let kind = Some(ActivityType::Card(MessageKind::Expiry));
    assert_eq!(reached(ActivityFilter { kind, ..none }), [true, false, false, false, false]);
    let kind = Some(ActivityType::Payment);
    assert_eq!(reached(ActivityFilter { kind, status: Some(ActivityStatus::Pending), ..none }), [false; 5]);
}

/// Every matching movement comes from a source that the filter reads.
#[test]
fn every_matching_movement_is_found() {
    let rows: Vec<_> =
        PaymentStatus::ALL.into_iter().filter_map(|status| Activity::of_payment(payment(status))).collect();
    for row in rows.iter().chain([&credit()]) {
        for kind in ActivityType::ALL.map(Some).into_iter().chain([None]) {
            for status in ActivityStatus::ALL.map(Some).into_iter().chain([None]) {
                let filter = ActivityFilter { kind, status, ..ActivityFilter::default() };
                assert!(!filter.matches(row) || filter.reaches(row.kind.source()), "{filter:?} {row:?}");
            }
        }
    }
}

#[test]
fn every_field_of_a_filter_is_applied() {
    let (row, none) = (credit(), ActivityFilter::default());
    let second = chrono::TimeDelta::seconds(1);
    for (filter, expected) in [
        (none, true),
        (ActivityFilter { budget: Some(row.budget), ..none }, true),
        (ActivityFilter { budget: Some(BudgetId(Uuid::nil())), ..none }, false),
        (ActivityFilter { currency: Some(Currency::parse("EUR").unwrap()), ..none }, false),
        (ActivityFilter { from: Some(row.created_at), to: Some(row.created_at), ..none }, true),
        (ActivityFilter { from: Some(row.created_at + second), ..none }, false),
        (ActivityFilter { to: Some(row.created_at - second), ..none }, false),
        (ActivityFilter { card: Some(CardId(Uuid::nil())), ..none }, false),
    ] {
        assert_eq!(filter.matches(&row), expected, "{filter:?}");
    }
}
