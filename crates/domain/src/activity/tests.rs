//! Tests of activity.

use super::*;
use crate::batch::{PaymentInput, PaymentNetwork, PaymentStatus, PaymentTerms};
use crate::card::decide::{FirstKind, FirstMessage, FollowUp};
use crate::card::{ChainKind, DisputeAction, DisputeOutcome, MessageKind, TransactionState};
use crate::ids::{OrderId, PaymentBatchId, TransferId};
use crate::ledger::Leg;
use crate::test_support::{CardScenario, a_budget, a_card, a_payment_state, a_purchase, a_refund, minor};
use std::collections::BTreeSet;
use uuid::Uuid;

fn gbp() -> Currency {
    Currency::parse("GBP").unwrap()
}

fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

fn second(number: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(number)
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
        input: PaymentInput { reference: Some("Wages 7".into()), ..PaymentInput::default() },
        created_at: second(1),
        updated_at: second(9),
    }
}

fn transfer() -> Transfer {
    Transfer {
        id: TransferId(Uuid::from_u128(6)),
        number: 11,
        account: account(),
        from: BudgetId(Uuid::from_u128(4)),
        to: BudgetId(Uuid::from_u128(5)),
        currency: gbp(),
        amount: Minor(30),
        journal: JournalId(Uuid::from_u128(7)),
        reference: Some("September".into()),
        created_at: second(3),
    }
}

fn journal_credit() -> JournalCredit {
    let (id, budget) = (JournalId(Uuid::from_u128(9)), BudgetId(Uuid::from_u128(4)));
    JournalCredit { id, account: account(), budget, currency: gbp(), amount: Minor(7), at: second(0) }
}

fn credit() -> Activity {
    journal_credit().with(None)
}

/// Rows of every source except top-ups.
fn rows() -> Vec<Activity> {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
    let bought = scenario.authorize("2.40");
    let declined = scenario.authorize("99.00");
    let chains = [bought, declined].map(|first| Activity::of_chain(first, Vec::new(), None, None).unwrap());
    let payments = PaymentStatus::ALL
        .into_iter()
        .filter_map(|status| Activity::of_payment(payment(status), PaymentNumbers::default(), Some(second(2))));
    let all = chains.into_iter().chain(payments).chain(Activity::of_transfer(&transfer()).unwrap());
    all.chain([credit()]).collect()
}

/// The cells of the rows of a table in the documentation, without backticks.
fn table(heading: &str) -> Vec<Vec<String>> {
    const DOCS: &str = include_str!("../../../../docs/BUDGETS-AND-CARDS.md");
    let lines = DOCS.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

#[test]
fn types_of_chains_are_as_documented() {
    let mut seen = BTreeSet::new();
    for row in table("| First message | `type` of the row |") {
        for first in row[0].split(", ") {
            let (name, requests_nothing) = first.strip_suffix(" of zero").map_or((first, false), |name| (name, true));
            let kind = MessageKind::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap();
            let class = FirstMessageClass { kind, requests_nothing };
            assert_eq!(class.activity().map(ActivityType::as_str), Some(row[1].as_str()), "{first}");
            seen.insert(name.to_owned());
        }
    }
    let begins = |kind: &MessageKind| FirstMessageClass { kind: *kind, requests_nothing: false }.activity().is_some();
    let all: BTreeSet<_> = MessageKind::ALL.into_iter().filter(begins).map(|kind| kind.as_str().to_owned()).collect();
    assert_eq!(seen, all, "every kind of a first message is documented");
}

#[test]
fn statuses_of_chains_are_as_documented() {
    let rows = table("| State | `card`, ");
    assert_eq!(rows.len(), TransactionState::ALL.len());
    let columns = [
        (
            1,
            vec![
                ActivityType::Card,
                ActivityType::Cashback,
                ActivityType::Atm,
                ActivityType::Fee,
                ActivityType::OtherCredit,
            ],
        ),
        (2, vec![ActivityType::CardRefund]),
        (3, vec![ActivityType::CardCheck]),
    ];
    let chargeback = |state, is_open| ActivityStatus::of_chain(ActivityType::Chargeback, state, is_open).as_str();
    for (row, state) in rows.iter().zip(TransactionState::ALL) {
        assert_eq!(row[0], state.as_str());
        for (column, kinds) in &columns {
            for kind in kinds {
                for is_open in [true, false] {
                    let status = ActivityStatus::of_chain(*kind, state, is_open).as_str();
                    assert_eq!(row[*column], status, "{state:?} {kind:?}");
                }
            }
        }
        match state {
            TransactionState::NothingCleared => assert_eq!(row[4], chargeback(state, false)),
            TransactionState::Completed => {
                let statuses = [true, false].map(|is_open| chargeback(state, is_open));
                assert_eq!(row[4], format!("{} until the dispute is decided, then {}", statuses[0], statuses[1]));
            }
            TransactionState::Pending | TransactionState::Declined => assert_eq!(row[4], "never"),
        }
    }
}

#[test]
fn statuses_of_payments_are_as_documented() {
    let rows = table("| Payment is | ");
    let documented = |status: PaymentStatus| {
        let row = rows.iter().find(|row| row[0].split(", ").any(|name| name == status.as_str()));
        row.map(|row| row[1].clone())
    };
    for status in PaymentStatus::ALL {
        let seen = ActivityStatus::of_payment(status).map(|status| status.as_str().to_owned());
        assert_eq!(seen, documented(status), "{status}");
    }
}

/// Every kind of first message that a rule can record begins a chain.
#[test]
fn first_messages_have_types() {
    for kind in FirstKind::ALL {
        let mut scenario = CardScenario::of(a_card(), a_budget().with("100.00 GBP"));
        let amount = if kind == FirstKind::Inquiry { "0" } else { "2.40" };
        let first = scenario.send(&FirstMessage { kind, ..a_purchase(amount) }).unwrap().transaction;
        assert!(FirstMessageClass::of(&first).activity().is_some(), "{kind:?}");
    }
}

#[test]
fn names_are_unique() {
    let types: BTreeSet<_> = ActivityType::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(types.len(), ActivityType::ALL.len());
    let statuses: BTreeSet<_> = ActivityStatus::ALL.iter().map(|status| status.as_str()).collect();
    assert_eq!(statuses.len(), ActivityStatus::ALL.len());
}

#[test]
fn the_amount_of_a_chain_is_what_is_held_plus_what_is_cleared() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("250.00 GBP"));
    let first = scenario.authorize("10.00");
    let partial_clearing = FollowUp::Clearing { amount: a_purchase("4.00").amount, is_final: false };
    scenario.wait(chrono::TimeDelta::seconds(5));
    let cleared = scenario.follow(first.token, &partial_clearing).unwrap().transaction;
    let chain = scenario.chains.pop().unwrap();
    let row = Activity::of_chain(first.clone(), vec![cleared.clone()], Some(&chain), None).unwrap();
    assert_eq!((row.amount, row.impacted), (minor("10.00 GBP"), minor("-10.00 GBP")));
    assert_eq!((row.created_at, row.updated_at), (first.created_at, cleared.created_at));
    assert_eq!((row.kind, row.status), (ActivityType::Card, ActivityStatus::Pending));
}

#[test]
fn a_declined_chain_shows_the_requested_amount_and_moves_nothing() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("1.00 GBP"));
    let row = Activity::of_chain(scenario.authorize("9.00"), Vec::new(), None, None).unwrap();
    assert_eq!((row.status, row.amount, row.impacted), (ActivityStatus::Declined, minor("9.00 GBP"), Minor::ZERO));
}

#[test]
fn a_refund_credits() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("1.00 GBP"));
    let refund = FirstMessage { kind: FirstKind::UnlinkedRefund, ..a_refund("3.00") };
    let first = scenario.send(&refund).unwrap().transaction;
    let chain = scenario.chains.pop().unwrap();
    let row = Activity::of_chain(first, Vec::new(), Some(&chain), None).unwrap();
    assert_eq!((row.kind, row.status), (ActivityType::CardRefund, ActivityStatus::Refunded));
    assert_eq!((row.amount, row.impacted), (minor("3.00 GBP"), minor("3.00 GBP")));
}

#[test]
fn a_chargeback_credits_until_its_dispute_is_lost() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
    let bought = scenario.authorize("3.00").token;
    scenario.clear(bought, "3.00").unwrap();
    let seen = |scenario: &CardScenario| {
        let chain = scenario.chains.last().unwrap();
        let of_chain = |message: &&CardTransaction| message.chain == chain.id;
        let mut messages = scenario.records.iter().filter(of_chain).cloned();
        let row = Activity::of_chain(messages.next().unwrap(), messages.collect(), Some(chain), None).unwrap();
        for status in ActivityStatus::ALL {
            let filter = ActivityFilter { statuses: vec![*status], ..ActivityFilter::default() };
            let ActivityDetail::Card(detail) = &row.detail else { panic!("a chain") };
            let reads = filter.chains().into_iter().any(|of| {
                of.class == FirstMessageClass::of(&detail.first)
                    && of.states.contains(&detail.first.state)
                    && of.is_open.is_none_or(|is_open| is_open == chain.end().is_none())
            });
            assert_eq!((reads, filter.matches(&row)), (*status == row.status, *status == row.status), "{status:?}");
        }
        (row.kind.as_str(), row.status.as_str(), row.impacted.0)
    };
    let dispute = scenario.dispute(bought, Some("2.00")).unwrap();
    scenario.act_on_dispute(dispute.id, &DisputeAction::Credit).unwrap();
    assert_eq!(seen(&scenario), ("chargeback", "pending", 200));
    let mut other = scenario.clone();
    scenario.act_on_dispute(dispute.id, &DisputeAction::Resolve(DisputeOutcome::Lost)).unwrap();
    scenario.chains.retain(|chain| chain.kind == ChainKind::Dispute);
    assert_eq!(seen(&scenario), ("chargeback", "reverted", 0));
    other.act_on_dispute(dispute.id, &DisputeAction::Resolve(DisputeOutcome::Won)).unwrap();
    other.chains.retain(|chain| chain.kind == ChainKind::Dispute);
    assert_eq!(seen(&other), ("chargeback", "complete", 200));
}

#[test]
fn a_payment_debits_its_cost_until_it_fails_or_is_returned() {
    for (status, expected) in [
        (PaymentStatus::Created, None),
        (PaymentStatus::Validated, None),
        (PaymentStatus::Confirmed, Some(-105)),
        (PaymentStatus::Started, Some(-105)),
        (PaymentStatus::Completed, Some(-105)),
        (PaymentStatus::Failed, Some(0)),
        (PaymentStatus::Returned, Some(-5)),
        (PaymentStatus::Cancelled, Some(0)),
    ] {
        let seen = Activity::of_payment(payment(status), PaymentNumbers::default(), Some(second(2)));
        assert_eq!(seen.as_ref().map(|seen| seen.impacted.0), expected, "{status}");
        assert_eq!(
            Activity::of_payment(payment(status), PaymentNumbers::default(), None),
            None,
            "{status} without a confirmation"
        );
        if let Some(seen) = seen {
            assert_eq!((seen.created_at, seen.updated_at), (second(2), second(9)));
        }
    }
}

#[test]
fn only_credits_and_top_ups_are_movements_of_the_journal() {
    let budget = BudgetId(Uuid::from_u128(4));
    let leg = Leg::new(Pool::InboundPayments, Pool::Available(budget), Minor(7)).unwrap();
    let journal = |kind| {
        let id = JournalId(Uuid::from_u128(9));
        JournalTransaction::new(id, account(), (kind, id.0), gbp(), second(0), leg).unwrap()
    };
    assert_eq!(Activity::of_journal(&journal(JournalKind::Credit), None), Some(credit()));
    let deposit = Activity::of_journal(&journal(JournalKind::TopUp), None).unwrap();
    assert_eq!((deposit.kind, deposit.impacted), (ActivityType::Deposit, Minor(7)));
    let payment = MerchantPaymentId(Uuid::from_u128(9));
    assert_eq!(deposit.detail, ActivityDetail::TopUp { payment, number: None });
    let deposit = Activity::of_journal(&journal(JournalKind::TopUp).numbered(8), None).unwrap();
    assert_eq!(deposit.detail, ActivityDetail::TopUp { payment, number: Some(8) });
    assert_eq!(Activity::of_journal(&journal(JournalKind::Card), None), None);
}

#[test]
fn a_transfer_has_a_row_for_each_budget() {
    let [paid, received] = Activity::of_transfer(&transfer()).unwrap();
    let seen =
        |row: &Activity| (row.kind.as_str(), row.id.0.as_u128(), row.budget.0.as_u128(), row.impacted.0, row.number());
    assert_eq!(seen(&paid), ("unload", 6, 4, -30, Some(11)));
    assert_eq!(seen(&received), ("load", 7, 5, 30, Some(12)));
    for (budget, expected) in [(4, [true, false]), (5, [false, true]), (6, [false, false])] {
        let filter = ActivityFilter { budgets: vec![BudgetId(Uuid::from_u128(budget))], ..ActivityFilter::default() };
        assert_eq!([&paid, &received].map(|row| filter.matches(row)), expected);
    }
}

/// `can_match` accepts the source of every matching movement. `chains` selects exactly the matching chains, and
/// `payments` exactly the matching payments.
#[test]
fn every_matching_movement_is_found() {
    for row in rows() {
        for kinds in ActivityType::ALL.iter().map(|kind| vec![*kind]).chain([vec![], ActivityType::ALL.to_vec()]) {
            for statuses in ActivityStatus::ALL.iter().map(|status| vec![*status]).chain([vec![]]) {
                let filter = ActivityFilter { kinds: kinds.clone(), statuses, ..ActivityFilter::default() };
                if filter.matches(&row) {
                    assert!(filter.can_match(row.source()), "{filter:?} {row:?}");
                }
                match &row.detail {
                    ActivityDetail::Card(chain) => {
                        let class = FirstMessageClass::of(&chain.first);
                        let reads = filter
                            .chains()
                            .iter()
                            .any(|of| of.class == class && of.states.contains(&chain.first.state));
                        assert_eq!(reads, filter.matches(&row), "{filter:?} {row:?}");
                    }
                    ActivityDetail::Payment { payment, .. } if filter.kinds.is_empty() => {
                        assert_eq!(filter.payments().contains(&payment.status()), filter.matches(&row));
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn every_field_of_a_filter_is_applied() {
    let (row, none) = (credit(), ActivityFilter::default());
    for (filter, expected) in [
        (none.clone(), true),
        (ActivityFilter { kinds: vec![ActivityType::Load, ActivityType::Deposit], ..none.clone() }, true),
        (ActivityFilter { kinds: vec![ActivityType::Load], ..none.clone() }, false),
        (ActivityFilter { excluded: vec![ActivityType::Deposit], ..none.clone() }, false),
        (ActivityFilter { excluded: vec![ActivityType::Load], ..none.clone() }, true),
        (ActivityFilter { statuses: vec![ActivityStatus::Pending], ..none.clone() }, false),
        (ActivityFilter { budgets: vec![BudgetId(Uuid::nil()), row.budget], ..none.clone() }, true),
        (ActivityFilter { budgets: vec![BudgetId(Uuid::nil())], ..none.clone() }, false),
        (ActivityFilter { currency: Some(Currency::parse("EUR").unwrap()), ..none.clone() }, false),
        (ActivityFilter { from: Some(row.created_at), to: Some(row.created_at), ..none.clone() }, true),
        (ActivityFilter { from: Some(second(1)), ..none.clone() }, false),
        (ActivityFilter { to: Some(second(-1)), ..none.clone() }, false),
        (ActivityFilter { card: Some(CardId(Uuid::nil())), ..none.clone() }, false),
        (ActivityFilter { people: vec![PersonId(Uuid::nil())], ..none.clone() }, false),
        (ActivityFilter { search: Some(ActivitySearch::parse("x").unwrap()), ..none }, false),
    ] {
        assert_eq!(filter.matches(&row), expected, "{filter:?}");
    }
}

#[test]
fn a_search_reads_counterparties_and_references() {
    let found = |text: &str| {
        let filter = ActivityFilter { search: Some(ActivitySearch::parse(text).unwrap()), ..ActivityFilter::default() };
        rows().into_iter().filter(|row| filter.matches(row)).map(|row| row.kind.as_str()).collect::<BTreeSet<_>>()
    };
    assert_eq!(found("wAges"), BTreeSet::from(["batchPayment"]));
    assert_eq!(found("tembe"), BTreeSet::from(["load", "unload"]));
    assert_eq!(found("%"), BTreeSet::new());
    assert!(ActivitySearch::parse("").is_err() && ActivitySearch::parse(&"x".repeat(101)).is_err());
    assert!(ActivitySearch::parse("a\0").is_err());
}

#[test]
fn a_search_for_a_number_finds_the_movement_that_took_it() {
    let mut numbers = PaymentNumbers::default();
    for (kind, number) in
        [(JournalKind::PaymentReturn, 14), (JournalKind::Payment, 13), (JournalKind::PaymentRelease, 15)]
    {
        numbers.add(kind, number);
    }
    let returned = Activity::of_payment(payment(PaymentStatus::Returned), numbers, Some(second(2))).unwrap();
    assert_eq!((returned.number(), returned.numbers().collect::<Vec<_>>()), (Some(13), vec![13, 14]));
    let top_up = journal_credit().by_top_up(MerchantPaymentId(Uuid::from_u128(9)), Some(16));
    let rows: Vec<_> = rows().into_iter().chain([returned, top_up]).collect();
    for (text, expected) in [
        ("11", vec!["unload"]),
        ("12", vec!["load"]),
        ("013", vec!["batchPayment"]),
        ("14", vec!["batchPayment"]),
        ("15", vec![]),
        ("16", vec!["deposit"]),
        ("+16", vec![]),
        ("99999999999999999999", vec![]),
    ] {
        let filter = ActivityFilter { search: Some(ActivitySearch::parse(text).unwrap()), ..ActivityFilter::default() };
        let found: Vec<_> = rows.iter().filter(|row| filter.matches(row)).collect();
        assert_eq!(found.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), expected, "{text}");
        assert!(found.iter().all(|row| filter.can_match(row.source())), "{text}");
    }
    let search = Some(ActivitySearch::parse("16a").unwrap());
    let not_a_number = ActivityFilter { search, ..ActivityFilter::default() };
    assert!(!not_a_number.can_match(ActivitySource::TopUp));
}

#[test]
fn a_cursor_reads_as_it_is_written() {
    let cursor = ActivityCursor { epoch: 3, position: 14, id: ActivityId(Uuid::from_u128(9)) };
    assert_eq!(ActivityCursor::parse(&cursor.to_string()), Ok(Some(cursor)));
    assert_eq!(ActivityCursor::parse("0"), Ok(None));
    let id = Uuid::nil();
    for wrong in
        ["", "1", "00", "-1", "1.2", "1.2.3", &format!("1.+2.{id}"), &format!("1.2.{id}.4"), &format!(".2.{id}")]
    {
        assert!(ActivityCursor::parse(wrong).is_err(), "{wrong}");
    }
    assert!(ActivityCursor::beginning(3) < cursor && cursor < ActivityCursor::after_all(3, 14));
}
