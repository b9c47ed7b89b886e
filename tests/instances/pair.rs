//! Two instances on one database.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::assert::text;
use crate::support::batches::confirm;
use crate::support::server::MAX_WAIT;
use crate::support::wallet::credit_body;
use crate::support::{Answer, CREDIT, Client, Server, Wallet, Workspace, demo, expect_json};

/// All tests share the server of `DATABASE_URL`. A test that restarts it waits until no other test uses it.
static SERVER: RwLock<()> = RwLock::new(());

/// Returns a guard that prevents restarts of the database server.
pub(crate) fn prevent_restarts() -> RwLockReadGuard<'static, ()> {
    SERVER.read().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no other test uses the database server, and returns a guard that excludes them.
pub(crate) fn exclusive_use() -> RwLockWriteGuard<'static, ()> {
    SERVER.write().unwrap_or_else(PoisonError::into_inner)
}

/// Two instances. The first one owns the database, so it is dropped last.
pub(crate) struct Pair {
    pub(crate) second: Server,
    pub(crate) first: Server,
}

impl Pair {
    /// Starts two instances on fresh demo data.
    pub(crate) fn sandbox() -> Self {
        Self::on(Workspace::demo())
    }

    /// Starts two instances on the database of a workspace.
    pub(crate) fn on(workspace: Workspace) -> Self {
        let beside = workspace.beside();
        Self { first: Server::on(workspace), second: Server::on(beside) }
    }

    /// Starts two instances with budgets that can pay for every validated batch.
    pub(crate) fn funded() -> Self {
        let pair = Self::sandbox();
        for currency in ["GBP", "EUR", "JPY"] {
            let credit = credit_body(&demo().budget(currency), "100000000", currency);
            expect_json(&pair.first.client().post(CREDIT, credit), 200);
        }
        pair
    }

    /// Returns the first instance for an even number, and the second for an odd one.
    pub(crate) fn instance(&self, number: usize) -> &Server {
        if number.is_multiple_of(2) { &self.first } else { &self.second }
    }

    /// Returns a client of [`Self::instance`] with the demo account's key.
    pub(crate) fn client(&self, number: usize) -> Client {
        self.instance(number).client()
    }

    /// Returns the same card through each instance.
    pub(crate) fn wallets(&self, currency: &str, available: i64) -> [Wallet; 2] {
        let first = Wallet::with(&self.first, currency, available);
        let second = Wallet { client: self.second.client(), ..first.clone() };
        [first, second]
    }
}

/// Checks that one confirmation succeeded and the other was refused.
pub(crate) fn expect_one_confirmed(answers: &[Answer]) {
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
    crate::support::expect_fault(refused, 409, "path.paymentBatchId", "invalid_state");
}

/// Confirms with the sandbox's provider.
pub(crate) fn confirm_on(server: &Server, batch: &str, session: &str) -> Answer {
    confirm(&server.client(), batch, session, "000000")
}

/// Returns the response code of a card message.
pub(crate) fn code(answer: &Answer) -> String {
    text(&expect_json(answer, 201), "/transaction/response/code").to_owned()
}

/// Waits for a condition. Fails with its description if the condition is still false after `timeout`.
pub(crate) fn until(what: &str, timeout: Duration, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < timeout, "{what}: not within {timeout:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until an instance is ready again after a fault.
pub(crate) fn until_ready(server: &Server) {
    until("the instance is ready again", MAX_WAIT, || server.readiness() == 200);
}

/// Returns a JSON value as an integer.
pub(crate) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("not a number: {value}"))
}
