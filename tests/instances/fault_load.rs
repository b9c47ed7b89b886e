//! Puts load on both instances during a fault, and verifies the books afterwards.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::pair::Pair;
use crate::report::report;
use crate::support::guards::SetOnDrop;
use crate::support::load::{Sent, check_journal, message, sum};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::Balance;
use crate::support::{Answer, Client, Wallet, expect_error, together};

const WORKERS: usize = 8;
/// What is available to the card of a test, in minor units.
pub(crate) const FUNDS: i64 = 100_000_000;

/// Progress of the load.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) accepted: AtomicUsize,
    /// Number of answers with 503.
    pub(crate) refused: AtomicUsize,
    pub(crate) unanswered: AtomicUsize,
    stop: AtomicBool,
}

impl Tally {
    /// Waits until this number of further messages were accepted.
    pub(crate) fn wait_for_accepted(&self, count: usize) {
        wait_for(&self.accepted, count, "accepted");
    }

    /// Waits until this number of further messages were refused with 503.
    pub(crate) fn wait_for_refused(&self, count: usize) {
        wait_for(&self.refused, count, "refused");
    }
}

fn wait_for(counter: &AtomicUsize, count: usize, what: &str) {
    let (start, before) = (Instant::now(), counter.load(Ordering::Relaxed));
    while counter.load(Ordering::Relaxed) < before + count {
        assert!(
            start.elapsed() < 2 * MAX_WAIT,
            "{} further messages were {what}, not {count}",
            counter.load(Ordering::Relaxed) - before
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether an answer during a fault is a success. Otherwise, it must be a 503 with `Retry-After`.
pub(crate) fn is_accepted(answer: &Answer) -> bool {
    if matches!(answer.status, 200 | 201) {
        return true;
    }
    let faults = expect_error(answer, 503);
    assert_eq!((faults.len(), faults[0].path.as_str(), faults[0].code.as_str()), (1, "", "overloaded"), "{answer:?}");
    let wait: u64 =
        answer.header("retry-after").unwrap_or_else(|| panic!("no Retry-After: {answer:?}")).parse().unwrap();
    assert!((1..=60).contains(&wait), "{answer:?}");
    for word in ["postgres", "sql", "diesel", "connection", "relation", "127.0.0.1", "terminat"] {
        assert!(!answer.text().to_lowercase().contains(word), "the cause is in the answer: {answer:?}");
    }
    false
}

/// Sends to both instances until `meanwhile` ends. Returns all messages, with the answers of accepted ones.
/// A broken connection is a failure, unless an instance is killed deliberately.
pub(crate) fn load_during<T>(
    wallets: &[Wallet; 2],
    name: &str,
    may_break: bool,
    meanwhile: impl FnOnce(&Tally) -> T,
) -> (T, Vec<Sent>) {
    let (log, tally) = (Mutex::new(Vec::new()), Tally::default());
    let outcome = thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (log, tally, wallet) = (&log, &tally, &wallets[worker % 2]);
            scope.spawn(move || {
                let _stop = SetOnDrop(&tally.stop);
                for number in 0_usize.. {
                    if tally.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let mut sent = message(wallet, &format!("{name}-{worker}-{number}"), number);
                    let answer = sent.send(&wallet.client);
                    let counter = match &answer {
                        Ok(answer) if is_accepted(answer) => &tally.accepted,
                        Ok(_) => &tally.refused,
                        Err(error) => {
                            assert!(may_break, "no answer: {error}");
                            &tally.unanswered
                        }
                    };
                    counter.fetch_add(1, Ordering::Relaxed);
                    sent.answer = answer.ok().filter(|answer| answer.status != 503);
                    let wait = if sent.answer.is_some() { 0 } else { 20 };
                    log.lock().unwrap().push(sent);
                    thread::sleep(Duration::from_millis(wait));
                }
            });
        }
        // The workers must stop, however this ends.
        let _stop = SetOnDrop(&tally.stop);
        meanwhile(&tally)
    });
    let log = log.into_inner().unwrap();
    let (accepted, refused, unanswered) = (&tally.accepted, &tally.refused, &tally.unanswered);
    report(&format!("{name}: {accepted:?} accepted, {refused:?} refused, {unanswered:?} without an answer"));
    (outcome, log)
}

/// Sends a message until it is accepted, as a caller does after a 503.
fn send_until_accepted(client: &Client, sent: &Sent) -> Answer {
    let start = Instant::now();
    loop {
        match sent.send(client) {
            Ok(answer) if matches!(answer.status, 200 | 201) => return answer,
            Ok(answer) if answer.status == 409 => {
                assert_eq!(expect_error(&answer, 409)[0].code, "idempotency_in_flight");
            }
            Ok(answer) => assert!(!is_accepted(&answer)),
            Err(error) => panic!("no answer: {error}"),
        }
        assert!(start.elapsed() < MAX_WAIT, "{} is not accepted", sent.key);
        thread::sleep(Duration::from_millis(50));
    }
}

/// Repeats every message with its key until it is accepted. Returns the answers, in the order of the messages.
pub(crate) fn repeat(wallets: &[Wallet; 2], log: &[Sent]) -> Vec<Answer> {
    let again = |number: usize| (number, send_until_accepted(&wallets[number / WORKERS % 2].client, &log[number]));
    let answers = together(WORKERS, |worker| (worker..log.len()).step_by(WORKERS).map(again).collect::<Vec<_>>());
    let answers: BTreeMap<_, _> = answers.into_iter().flatten().collect();
    answers.into_values().collect()
}

/// Repeats every message with its key. Answered messages must replay their answers. The others take effect now, if they
/// had no effect before. So each message has exactly one effect.
pub(crate) fn repeat_and_verify(wallets: &[Wallet; 2], before: Balance, log: &[Sent]) {
    for (sent, again) in log.iter().zip(repeat(wallets, log)) {
        assert!(sent.is_preserved(&again), "an answered message was lost: {} {again:?}", sent.key);
    }
    let (available, ledger) = sum(&log.iter().collect::<Vec<_>>());
    let expected = Balance { ledger: before.ledger + ledger, available: before.available + available };
    for wallet in wallets {
        assert_eq!(wallet.balance(), expected, "each of {} messages has one effect", log.len());
    }
}

/// Puts load on a new pair while `fault` affects its database, then verifies the books.
pub(crate) fn run_fault_test(name: &str, fault: impl FnOnce(&Pair, &Tally)) {
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", FUNDS);
    let before = wallets[0].balance();
    let ((), log) = load_during(&wallets, name, false, |tally| {
        tally.wait_for_accepted(50);
        fault(&pair, tally);
        tally.wait_for_accepted(50);
    });
    repeat_and_verify(&wallets, before, &log);
    check_journal(pair.first.workspace());
    for server in [&pair.first, &pair.second] {
        assert!(!server.workspace().log().contains("panicked at"), "{}", server.workspace().log());
    }
}
