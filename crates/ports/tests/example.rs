//! The example of `docs/TESTING-RULES.md`: a test of a rule, and of a program with a mocked port.
#![cfg(feature = "test-support")]

use chrono::{DateTime, Utc};
use florin_domain::card::decide::{CardRefusal, FirstSituation, decide_first};
use florin_domain::card::{CardTransaction, TransactionState};
use florin_domain::stamp::Stamp;
use florin_domain::test_support::{CardScenario, a_budget, a_card, a_purchase, account, minor};
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{CardLedger, Clock, FirstMessageCommand, IdSource, MockCardLedger, Mode, WriteError, Written};
use std::sync::Arc;

/// Returns the situation that an adapter would load: an ACTIVE card, and a budget with this available balance.
fn situation(available: &str) -> FirstSituation {
    CardScenario::of(a_card(), a_budget().with(available)).first_situation()
}

/// The program under test. It depends on the port, and on no store.
async fn buy_coffee(
    ledger: &dyn CardLedger,
    clock: &dyn Clock,
    ids: Arc<dyn IdSource>,
) -> Result<CardTransaction, WriteError<CardRefusal>> {
    let now = clock.now();
    let command = FirstMessageCommand {
        account: account(),
        card: a_card().build().id,
        decide: Arc::new(move |situation| {
            decide_first(situation, &a_purchase("2.40"), &Stamp { now, ids: &|| ids.next_id() })
        }),
        mode: Mode::Commit,
        claim: None,
    };
    match ledger.first_message(command).await? {
        Written::New(transaction) => Ok(transaction),
        Written::Replayed(_) | Written::DryRun(_) => unreachable!("neither a repetition nor a dry run"),
    }
}

#[test]
fn a_rule_is_a_function_from_a_situation_to_a_decision() {
    let ids = CountingIds::default();
    let stamp = Stamp { now: DateTime::<Utc>::UNIX_EPOCH, ids: &|| ids.next_id() };
    let decision = decide_first(&situation("10.00 GBP"), &a_purchase("2.40"), &stamp).unwrap();
    assert_eq!(decision.transaction.state, TransactionState::Pending);
    assert_eq!((decision.balances.ledger(), decision.balances.available()), (minor("10.00 GBP"), minor("7.60 GBP")));
}

#[tokio::test]
async fn a_mock_decides_as_an_adapter_would() {
    let (clock, ids) = (FakeClock::at(DateTime::<Utc>::UNIX_EPOCH), Arc::new(CountingIds::default()));
    let mut ledger = MockCardLedger::new();
    ledger.expect_first_message().times(1).returning(|command| match (command.decide)(&situation("1.00 GBP")) {
        Ok(decision) => Ok(Written::New(decision.transaction)),
        Err(refusal) => Err(WriteError::Refused(refusal)),
    });
    let coffee = buy_coffee(&ledger, &clock, ids).await.unwrap();
    assert_eq!((coffee.state, coffee.response.code()), (TransactionState::Declined, "1016"));
}

#[tokio::test]
async fn a_mock_can_return_any_result_of_a_store() {
    let (clock, ids) = (FakeClock::at(DateTime::<Utc>::UNIX_EPOCH), Arc::new(CountingIds::default()));
    let mut ledger = MockCardLedger::new();
    ledger.expect_first_message().times(1).returning(|_| Err(WriteError::Absent));
    assert_eq!(buy_coffee(&ledger, &clock, ids).await, Err(WriteError::Absent));
}
