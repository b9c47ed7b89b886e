//! The example of `docs/TESTING-RULES.md`: a rule on its own, and a program over a port that is mocked.
#![cfg(feature = "test-support")]
#![expect(clippy::unwrap_used, reason = "a test may stop where its world is wrong")]

use chrono::{DateTime, NaiveDate, Utc};
use florin_domain::card::decide::{CardRefusal, Extras, FirstMessage, FirstSituation, MessageStamp, decide_first};
use florin_domain::card::{AcceptorInput, Card, CardState, CardTransaction, ChainKind, Network, TransactionState};
use florin_domain::ids::{AccountId, BudgetId, CardId, JournalId, TransactionToken, UserToken};
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, DecimalAmount, Minor};
use florin_domain::text::Text;
use florin_ports::test_support::{CountingIds, FakeClock};
use florin_ports::{CardLedger, Clock, FirstMessageCommand, IdSource, MockCardLedger, Mode, WriteError, Written};
use std::sync::Arc;
use uuid::Uuid;

/// What an adapter would load: an ACTIVE card, and this many pence on its budget.
fn situation(available: i64) -> FirstSituation {
    let card = Card {
        id: CardId(Uuid::from_u128(1)),
        account: AccountId::parse("F50091").unwrap(),
        budget: BudgetId(Uuid::from_u128(2)),
        currency: Currency::parse("GBP").unwrap(),
        state: CardState::Active,
        user_token: UserToken(Uuid::from_u128(3)),
        expires_on: NaiveDate::from_ymd_opt(2030, 12, 31).unwrap(),
    };
    let balances = Balances::new(Minor(available), Minor(0), Minor(0)).unwrap();
    FirstSituation { card, limits: vec![], balances }
}

fn purchase_of(amount: &str) -> FirstMessage {
    let mid = Text::parse("11111").unwrap();
    FirstMessage {
        kind: ChainKind::Purchase,
        amount: DecimalAmount::from_json_number(amount).unwrap(),
        network: Network::Visa,
        acceptor: AcceptorInput {
            mid,
            name: None,
            city: None,
            state: None,
            postal_code: None,
            country_code: None,
            mcc: None,
        },
        extras: Extras::default(),
    }
}

fn stamp(clock: &dyn Clock, ids: &dyn IdSource) -> MessageStamp {
    MessageStamp { token: TransactionToken(ids.next_id()), journal: JournalId(ids.next_id()), now: clock.now() }
}

/// The program under test: it knows the port and nothing of the store behind it.
async fn buy_coffee(
    ledger: &dyn CardLedger,
    clock: &dyn Clock,
    ids: &dyn IdSource,
) -> Result<CardTransaction, WriteError<CardRefusal>> {
    let stamp = stamp(clock, ids);
    let command = FirstMessageCommand {
        account: AccountId::parse("F50091").unwrap(),
        card: CardId(Uuid::from_u128(1)),
        decide: Arc::new(move |situation| decide_first(situation, &purchase_of("2.40"), &stamp)),
        mode: Mode::Commit,
        repeat: None,
    };
    match ledger.first_message(command).await? {
        Written::New(transaction) => Ok(transaction),
        Written::Replayed(_) => unreachable!("no idempotency key was sent"),
    }
}

#[test]
fn a_rule_is_a_function_from_a_situation_to_a_decision() {
    let (clock, ids) = (FakeClock::at(DateTime::<Utc>::UNIX_EPOCH), CountingIds::default());
    let decision = decide_first(&situation(1000), &purchase_of("2.40"), &stamp(&clock, &ids)).unwrap();
    assert_eq!(decision.transaction.state, TransactionState::Pending);
    assert_eq!((decision.balances.ledger(), decision.balances.available()), (Minor(1000), Minor(760)));
}

#[tokio::test]
async fn a_mock_decides_as_an_adapter_would() {
    let (clock, ids) = (FakeClock::at(DateTime::<Utc>::UNIX_EPOCH), CountingIds::default());
    let mut ledger = MockCardLedger::new();
    ledger.expect_first_message().times(1).returning(|command| match (command.decide)(&situation(100)) {
        Ok(decision) => Ok(Written::New(decision.transaction)),
        Err(refusal) => Err(WriteError::Refused(refusal)),
    });
    let coffee = buy_coffee(&ledger, &clock, &ids).await.unwrap();
    assert_eq!((coffee.state, coffee.response.code()), (TransactionState::Declined, "1016"));
}

#[tokio::test]
async fn a_mock_can_say_anything_a_store_can_say() {
    let (clock, ids) = (FakeClock::at(DateTime::<Utc>::UNIX_EPOCH), CountingIds::default());
    let mut ledger = MockCardLedger::new();
    ledger.expect_first_message().times(1).returning(|_| Err(WriteError::Absent));
    assert_eq!(buy_coffee(&ledger, &clock, &ids).await, Err(WriteError::Absent));
}
