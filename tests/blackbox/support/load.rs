//! A load of messages, each with its own idempotency key, whose effects can be added up.

use serde_json::Value;

use super::wallet::{Balance, credit_body};
use super::{AUTHORIZATION, Answer, CREDIT, Client, Wallet, Workspace};

/// The amounts of a credit and of an authorization, in minor units.
const CREDITED: i64 = 7;
const HELD: i64 = 100;

/// One message of the load: its idempotency key, its path, its body, and its answer, if one arrived.
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
        if self.path == CREDIT { (CREDITED, CREDITED) } else { (-HELD, 0) }
    }

    /// Whether the answer to a repeat shows that the message was not lost. If the message was answered, the repeat must
    /// replay that answer.
    pub(crate) fn is_preserved(&self, again: &Answer) -> bool {
        let replays = |first: &Answer| again.replayed() && (again.status, &again.body) == (first.status, &first.body);
        self.answer.as_ref().is_none_or(replays)
    }

    pub(crate) fn send(&self, client: &Client) -> Result<Answer, String> {
        client.call("POST", self.path).header("Idempotency-Key", &self.key).json(&self.body).try_send()
    }
}

/// Returns a message. Every fifth number is a credit, and the others are authorizations.
pub(crate) fn message(wallet: &Wallet, key: &str, number: usize) -> Sent {
    let (path, body) = if number % 5 == 4 {
        (CREDIT, credit_body(&wallet.card.budget, "0.07", "GBP"))
    } else {
        (AUTHORIZATION, wallet.first_body("1.00"))
    };
    Sent { key: key.to_owned(), path, body, answer: None }
}

/// Checks every balance against the journal.
pub(crate) fn check_journal(workspace: &Workspace) {
    let report = workspace.json(&["check", "--json"]);
    assert_eq!(report["ok"], Value::Bool(true), "{report}");
}

/// Adds up the messages' effects on the available and the ledger balance.
pub(crate) fn sum(log: &[&Sent]) -> (i64, i64) {
    log.iter().map(|sent| sent.effect()).fold((0, 0), |(left, right), (one, two)| (left + one, right + two))
}

/// Repeats every message with its key. The answers of answered messages must be replayed. The others may take effect
/// now.
pub(crate) fn repeat_and_check(client: &Client, log: &[Sent]) -> Vec<Answer> {
    let answers = repeat_all(client, log);
    for (sent, again) in log.iter().zip(&answers) {
        assert!(sent.is_preserved(again), "an answered message was lost: {} {again:?}", sent.key);
    }
    answers
}

/// Repeats every message with its key. Returns the answers, which must be successes.
pub(crate) fn repeat_all(client: &Client, log: &[Sent]) -> Vec<Answer> {
    let repeat = |sent: &Sent| {
        let again = sent.send(client).unwrap();
        assert!(matches!(again.status, 200 | 201), "{again:?}");
        again
    };
    log.iter().map(repeat).collect()
}

/// Counts the effects that kills lost or doubled.
#[derive(Debug, Default)]
pub(crate) struct KillCounts {
    kills: usize,
    acknowledged: usize,
    lost: usize,
    doubled: usize,
}

impl KillCounts {
    /// Adds a kill. Every message was repeated afterwards, with the answers `repeats`. The balances are from before the
    /// messages and from after the repeats, so each message must have one effect between them.
    pub(crate) fn add(&mut self, log: &[Sent], repeats: &[Answer], before: Balance, after: Balance) {
        assert_eq!(log.len(), repeats.len());
        self.kills += 1;
        self.acknowledged += log.iter().filter(|sent| sent.answer.is_some()).count();
        self.lost += log.iter().zip(repeats).filter(|(sent, again)| !sent.is_preserved(again)).count();
        let (available, ledger) = sum(&log.iter().collect::<Vec<_>>());
        let (available_difference, ledger_difference) =
            (after.available - before.available - available, after.ledger - before.ledger - ledger);
        // Credits change both balances, and authorizations only the available one.
        self.count(ledger_difference, CREDITED);
        self.count(ledger_difference - available_difference, HELD);
    }

    /// Counts lost or doubled effects of this amount, by the difference between a balance and the expected one.
    fn count(&mut self, difference: i64, amount: i64) {
        let effects = usize::try_from(difference.unsigned_abs().div_ceil(amount.unsigned_abs())).unwrap();
        *(if difference < 0 { &mut self.lost } else { &mut self.doubled }) += effects;
    }

    /// Prints the numbers, and checks that no effect is lost or doubled.
    #[allow(clippy::print_stderr, reason = "the test runner shows it on request")]
    pub(crate) fn report(&self) {
        let Self { kills, acknowledged, lost, doubled } = self;
        eprintln!("{kills} kills, {acknowledged} acknowledged effects, {lost} lost, {doubled} doubled");
        assert_eq!((self.lost, self.doubled), (0, 0), "{self:?}");
    }
}
