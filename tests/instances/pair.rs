//! Two instances on one database.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::assert::text;
use crate::support::batches::confirm;
use crate::support::server::LIMIT;
use crate::support::wallet::credit_body;
use crate::support::{Answer, CREDIT, Client, Home, Server, Wallet, demo, expect_json};

/// All tests share the server of `DATABASE_URL`. A test that restarts it waits until no other test uses it.
static SERVER: RwLock<()> = RwLock::new(());

/// A guard that prevents restarts of the database server.
pub(crate) fn undisturbed() -> RwLockReadGuard<'static, ()> {
    SERVER.read().unwrap_or_else(PoisonError::into_inner)
}

/// A guard that gives exclusive use of the database server.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    SERVER.write().unwrap_or_else(PoisonError::into_inner)
}

/// Two instances. The first one keeps the database.
pub(crate) struct Pair {
    pub(crate) second: Server,
    pub(crate) first: Server,
}

impl Pair {
    /// Starts both on fresh demo data.
    pub(crate) fn sandbox() -> Self {
        Self::on(Home::demo())
    }

    pub(crate) fn on(home: Home) -> Self {
        let beside = home.beside();
        Self { first: Server::on(home), second: Server::on(beside) }
    }

    /// Starts both with budgets that can pay for every validated batch.
    pub(crate) fn funded() -> Self {
        let pair = Self::sandbox();
        for currency in ["GBP", "EUR", "JPY"] {
            let credit = credit_body(&demo().budget(currency), "100000000", currency);
            expect_json(&pair.first.client().post(CREDIT, credit), 200);
        }
        pair
    }

    /// Returns the two instances alternately.
    pub(crate) fn turn(&self, number: usize) -> &Server {
        if number.is_multiple_of(2) { &self.first } else { &self.second }
    }

    /// Returns clients with the demo account's key, alternating between the instances.
    pub(crate) fn client(&self, number: usize) -> Client {
        self.turn(number).client()
    }

    /// Returns the same card through each instance.
    pub(crate) fn wallets(&self, currency: &str, available: i64) -> [Wallet; 2] {
        let first = Wallet::with(&self.first, currency, available);
        let second = Wallet { client: self.second.client(), ..first.clone() };
        [first, second]
    }
}

/// Checks that one confirmation succeeded and the other was refused.
pub(crate) fn one_of_two(answers: &[Answer]) {
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
    crate::support::expect_fault(refused, 409, "path.paymentBatchId", "invalid_state");
}

/// Confirms with the scripted provider.
pub(crate) fn confirm_on(server: &Server, batch: &str, session: &str) -> Answer {
    confirm(&server.client(), batch, session, "000000")
}

/// Returns the response code of a card message.
pub(crate) fn code(answer: &Answer) -> String {
    text(&expect_json(answer, 201), "/transaction/response/code").to_owned()
}

/// Waits for a condition. Fails with its description if the condition is still false after `patience`.
pub(crate) fn until(what: &str, patience: Duration, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < patience, "{what}: not within {patience:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until an instance is ready again after a fault.
pub(crate) fn until_ready(server: &Server) {
    until("ready again", LIMIT, || server.readiness() == 200);
}

/// Returns a member of a value as a number.
pub(crate) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}
