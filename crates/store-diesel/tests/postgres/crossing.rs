//! Groups of two instances that lock many of the same budgets, in any order.

use crate::support::{Fixture, MINE, active_card, authorization, client, fresh, gbp, id, noon, seed_data, stamp};
use florin_domain::batch::{ConfirmSituation, PaymentBatch, PaymentOrder, decide_confirm};
use florin_domain::budget::Budget;
use florin_domain::card::Card;
use florin_domain::ids::{BudgetId, CardId, JournalId, OrderId, PaymentBatchId};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::Minor;
use florin_domain::stamp::Stamp;
use florin_ports::{
    CardLedger, ConfirmCommand, FirstMessageCommand, Mode, PaymentBatches, SeedBudget, SeedCard, SeedData, Seeding,
};
use std::cell::Cell;
use std::sync::Arc;
use tokio::task::JoinSet;
use uuid::Uuid;

const BUDGETS: u128 = 12;
const BATCHES: u128 = 60;

fn numbered(kind: u128, number: u128) -> Uuid {
    Uuid::from_u128((kind << 64) + number)
}

fn budget_number(number: u128) -> BudgetId {
    BudgetId(numbered(50, number % BUDGETS))
}

fn seed_budget(number: u128) -> SeedBudget {
    let budget = budget_number(number);
    let leg = Leg::new(Pool::InboundPayments, Pool::Available(budget), Minor(1_000_000)).unwrap();
    let journal = numbered(51, number);
    let cause = (JournalKind::Credit, journal);
    let journal = JournalTransaction::new(JournalId(journal), id(MINE), cause, gbp(), noon(), leg).unwrap();
    let balances = vec![(gbp(), Balances::new(Minor(1_000_000), Minor(0), Minor(0)).unwrap())];
    SeedBudget { budget: Budget { id: budget, account: id(MINE), name: "B".into(), balances }, journal: vec![journal] }
}

/// Returns a batch that three budgets fund. The order of the budgets depends on the number.
fn seed_batch(number: u128) -> PaymentBatch {
    let order = |place: u128| PaymentOrder {
        id: OrderId(numbered(53, number * 3 + place)),
        budget: budget_number(number * 7 + place * 5),
        currency: gbp(),
        total: Minor(10),
        fees: Minor(0),
        payments: 1,
    };
    let orders = vec![order(0), order(1), order(2)];
    PaymentBatch { id: PaymentBatchId(numbered(52, number)), orders, ..crate::support::validated_batch(MINE, 1) }
}

/// Returns the seed data with more budgets, each with a card, and with batches that need no MFA.
fn wide_seed_data() -> SeedData {
    let mut data = seed_data(9_500);
    let seed = &mut data.accounts[0];
    seed.account.mfa_required = false;
    seed.budgets.extend((0..BUDGETS).map(seed_budget));
    seed.cards.extend((0..BUDGETS).map(|number| SeedCard {
        card: Card { id: CardId(numbered(54, number)), budget: budget_number(number), ..active_card(MINE) },
        limits: vec![],
    }));
    seed.batches.extend((0..BATCHES).map(seed_batch));
    data
}

fn confirmation(number: u128) -> ConfirmCommand {
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        let next = Cell::new(number * 6);
        let ids = || numbered(55, next.replace(next.get() + 1));
        decide_confirm(situation, None, client(MINE), &Stamp { now: noon(), ids: &ids })
    });
    let batch = PaymentBatchId(numbered(52, number));
    ConfirmCommand { account: id(MINE), batch, session: None, decide, mode: Mode::Commit, claim: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn groups_of_two_instances_on_many_budgets_do_not_deadlock() {
    let fixture = Fixture::empty();
    fixture.store.seed(wide_seed_data()).await.unwrap();
    let stores = [fixture.store.clone(), fixture.instance()];
    let mut messages = JoinSet::new();
    let mut confirmations = JoinSet::new();
    for number in 0..1200_u128 {
        let store = stores[usize::from(number % 2 == 0)].clone();
        let card = CardId(numbered(54, (number * 5 + number / 7) % BUDGETS));
        let command = FirstMessageCommand { card, ..authorization(MINE, stamp(number), "0.01") };
        messages.spawn(async move { store.first_message(command).await });
        if number % 20 == 0 {
            let store = stores[usize::from(number % 40 == 0)].clone();
            confirmations.spawn(async move { store.confirm(confirmation(number / 20)).await });
        }
    }
    for answer in messages.join_all().await {
        fresh(answer);
    }
    for answer in confirmations.join_all().await {
        fresh(answer);
    }
    fixture.check_books().await;
    let budgets = fixture.store.budgets(&id(MINE)).await.unwrap();
    let held: i64 = budgets.iter().map(|budget| budget.in_currency(gbp()).unwrap().held().0).sum();
    let reserved: i64 = budgets.iter().map(|budget| budget.in_currency(gbp()).unwrap().reserved().0).sum();
    assert_eq!((held, reserved), (1_200, i64::try_from(BATCHES).unwrap() * 30));
    // A session reports its statistics at the latest when it ends.
    fixture.store.close();
    stores[1].close();
    let deadlocks = "SELECT deadlocks AS value FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(fixture.database.number(deadlocks), 0);
}
