//! A load of messages, each with its own idempotency key, whose effects can be added up.

use serde_json::Value;

use super::wallet::credit_body;
use super::{AUTHORIZATION, Answer, CREDIT, Client, Home, Wallet};

/// One message of the load: its key, its body, and its answer, if one arrived.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) key: String,
    pub(crate) path: &'static str,
    pub(crate) body: String,
    pub(crate) answer: Option<Answer>,
}

impl Sent {
    /// Returns the message's effect on the available and the ledger balance, in minor units.
    pub(crate) fn effect(&self) -> (i64, i64) {
        if self.path == CREDIT { (7, 7) } else { (-100, 0) }
    }

    pub(crate) fn send(&self, client: &Client) -> Result<Answer, String> {
        client.call("POST", self.path).header("Idempotency-Key", &self.key).json(&self.body).try_send()
    }
}

/// Returns the message with a number. Most messages spend money, some add money.
pub(crate) fn message(wallet: &Wallet, key: &str, number: usize) -> Sent {
    let (path, body) = if number % 5 == 4 {
        (CREDIT, credit_body(&wallet.card.budget, "0.07", "GBP"))
    } else {
        (AUTHORIZATION, wallet.first_body("1.00"))
    };
    Sent { key: key.to_owned(), path, body, answer: None }
}

/// Checks every balance against the journal.
pub(crate) fn check_journal(home: &Home) {
    let report = home.json(&["check", "--json"]);
    assert_eq!(report["ok"], Value::Bool(true), "{report}");
}

/// Adds up the messages' effects on the available and the ledger balance.
pub(crate) fn sum(log: &[&Sent]) -> (i64, i64) {
    log.iter().map(|sent| sent.effect()).fold((0, 0), |(left, right), (one, two)| (left + one, right + two))
}

/// Repeats every message with its key. Answered messages replay, the others take effect now.
pub(crate) fn retry_all(client: &Client, log: &[Sent]) -> Vec<Answer> {
    log.iter()
        .map(|sent| {
            let again = sent.send(client).unwrap();
            match &sent.answer {
                Some(first) => {
                    assert!(again.replayed(), "an answered message was lost: {} {again:?}", sent.key);
                    assert_eq!((again.status, &again.body), (first.status, &first.body));
                }
                None => assert!(matches!(again.status, 200 | 201), "{again:?}"),
            }
            again
        })
        .collect()
}
