//! Routers with one deliberate bug each, and the check that catches it.

use crate::APART;
use crate::support::Stores;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::Budget;
use florin_domain::card::decide::CardRefusal;
use florin_domain::card::{Card, CardTransaction};
use florin_domain::ids::{AccountId, CardId};
use florin_ports::{
    CardLedger, Due, DueHold, ExpiryCommand, FirstMessageCommand, FirstUseCommand, FollowUpCommand, SeedData, Seeding,
    StoreError, WriteError, Written,
};
use florin_store_cells::Cells;
use florin_store_conformance::{Factory, Handle, Outcome, SetupError, checks};
use florin_store_memory::MemoryStore;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
enum Bug {
    /// Credits go to a cell that does not have the account.
    WrongCell,
    /// Due holds are those of one cell.
    HoldsOfOneCell,
    /// Due holds are in the order of the cells.
    HoldsUnmerged,
    /// Keys that expire are those of one cell.
    KeysOfOneCell,
    /// The books of one cell are checked.
    BooksOfOneCell,
    /// Accounts are created in two cells.
    TwoCells,
    /// The tail of events is that of another cell.
    TailOfAnotherCell,
    /// The simulated bank keeps payments in a cell that does not have the account.
    BankOfAnotherCell,
}

/// Each bug and the check that must catch it.
const CAUGHT: &[(Bug, &str)] = &[
    (Bug::WrongCell, "credits.credit.stores_the_whole_decision"),
    (Bug::HoldsOfOneCell, "cards.due_holds.oldest_first_and_bounded"),
    (Bug::HoldsUnmerged, "cards.due_holds.oldest_first_and_bounded"),
    (Bug::KeysOfOneCell, "key_upkeep.expiring.in_order_of_their_end"),
    (Bug::BooksOfOneCell, "books_check.counts_and_finds_nothing_on_good_data"),
    (Bug::TwoCells, "registry.keys.oldest_first_and_of_one_client"),
    (Bug::TailOfAnotherCell, "events.tail.nothing_appears_behind_it"),
    (Bug::BankOfAnotherCell, "worlds.restore.puts_back_what_the_bank_remembers"),
    (Bug::BankOfAnotherCell, "worlds.delete.leaves_nothing_of_it"),
];

struct Mutants(Bug);

impl Factory for Mutants {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let stores = Stores::default();
        stores.place(APART).await?;
        let router = stores.router();
        let mut handle = Handle::of(&router);
        let (first, second) = (Arc::new(stores.a), Arc::new(stores.b));
        let bypass = Bypass { router, first: first.clone(), second: second.clone(), bug: self.0 };
        match self.0 {
            Bug::WrongCell => handle.credits = second,
            Bug::HoldsOfOneCell | Bug::HoldsUnmerged => handle.cards = Arc::new(bypass),
            Bug::KeysOfOneCell => handle.key_upkeep = second,
            Bug::BooksOfOneCell => handle.books_check = first,
            Bug::TwoCells => handle.seeding = Arc::new(bypass),
            Bug::TailOfAnotherCell => handle.events = second,
            Bug::BankOfAnotherCell => handle.bank = second,
        }
        Ok(handle)
    }
}

/// A router that passes some calls directly to a store.
struct Bypass {
    router: Arc<Cells>,
    first: Arc<MemoryStore>,
    second: Arc<MemoryStore>,
    bug: Bug,
}

#[async_trait]
impl CardLedger for Bypass {
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.router.first_message(command).await
    }

    async fn awaits_first_use(&self, account: &AccountId, card: CardId) -> Result<bool, StoreError> {
        self.router.awaits_first_use(account, card).await
    }

    async fn first_use(&self, command: FirstUseCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.router.first_use(command).await
    }

    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.router.follow_up(command).await
    }

    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> {
        self.router.expire(command).await
    }

    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> {
        let mut due = CardLedger::due_holds(&*self.first, now, max).await?;
        if matches!(self.bug, Bug::HoldsUnmerged) {
            due.extend(CardLedger::due_holds(&*self.second, now, max).await?);
            due.truncate(max as usize);
        }
        Ok(due)
    }
}

#[async_trait]
impl Seeding for Bypass {
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        self.router.is_fresh().await
    }

    async fn seed(&self, data: SeedData) -> Result<(), StoreError> {
        self.first.seed(data.clone()).await?;
        self.second.seed(data).await
    }

    async fn budgets(&self, account: &AccountId) -> Result<Vec<Budget>, StoreError> {
        self.router.budgets(account).await
    }

    async fn cards(&self, account: &AccountId) -> Result<Vec<Card>, StoreError> {
        self.router.cards(account).await
    }

    async fn batches(&self, account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> {
        self.router.batches(account).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_bug_is_caught() {
    for (bug, name) in CAUGHT {
        let check = checks().into_iter().find(|check| check.name() == *name);
        let outcome = check.unwrap().run(&Mutants(*bug)).await;
        assert!(matches!(outcome, Outcome::Failed(_)), "{name} does not catch {bug:?}: {outcome:?}");
    }
}
