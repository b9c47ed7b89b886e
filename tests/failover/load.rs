//! A load through the balancer: callers that repeat a request with its key until it succeeds, as clients of the API
//! must, and a reader of the feed of changes.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::demo::Card;
use crate::support::feed::{Feed, changes_after};
use crate::support::guards::SetOnDrop;
use crate::support::load::{Sent, message, sum};
use crate::support::management::{card, funded};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::Balance;
use crate::support::{Answer, CHECKOUTS, Client, Wallet, expect_error, together};

/// Number of callers of each budget.
const CALLERS: usize = 2;
/// Pause of a caller between two messages, and before it repeats one.
const PAUSE: Duration = Duration::from_millis(50);

/// Creates budgets with cards.
pub(crate) fn wallets(client: &Client, count: usize) -> Vec<Wallet> {
    let wallet = |number| {
        let budget = funded(client, &format!("Budget {number}"), "1000000.00");
        let id = card(client, &budget);
        let card = Card { id, budget, currency: "GBP".into(), state: "ACTIVE".into(), expired: false };
        Wallet { client: client.clone(), card, reserved: 0 }
    };
    (0..count).map(wallet).collect()
}

/// A load, with its messages and their outcomes.
pub(crate) struct Load<'a> {
    wallets: &'a [Wallet],
    name: String,
    stop: AtomicBool,
    /// The messages of each wallet.
    log: Vec<Mutex<Vec<Sent>>>,
    /// When messages succeeded.
    successes: Mutex<Vec<Instant>>,
    /// Number of answers with 503 or 409.
    refused: AtomicUsize,
    /// Number of requests without an answer of Florin.
    unanswered: AtomicUsize,
    /// Number of reads that succeeded.
    reads: AtomicUsize,
}

impl<'a> Load<'a> {
    pub(crate) fn new(wallets: &'a [Wallet], name: &str) -> Self {
        Self {
            wallets,
            name: name.replace(' ', "-"),
            stop: AtomicBool::new(false),
            log: wallets.iter().map(|_| Mutex::default()).collect(),
            successes: Mutex::default(),
            refused: AtomicUsize::new(0),
            unanswered: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
        }
    }

    /// Sends messages, and reads the feed of changes, until `meanwhile` ends.
    pub(crate) fn during(&self, feed: &mut Feed, meanwhile: impl FnOnce(&Self)) {
        thread::scope(|scope| {
            // A caller that fails stops the others.
            for caller in 0..self.wallets.len() * CALLERS {
                scope.spawn(move || {
                    let _stop = SetOnDrop(&self.stop);
                    self.call(caller);
                });
            }
            scope.spawn(|| {
                let _stop = SetOnDrop(&self.stop);
                self.read(feed);
            });
            let _stop = SetOnDrop(&self.stop);
            meanwhile(self);
        });
    }

    fn client(&self) -> &Client {
        &self.wallets[0].client
    }

    fn has_ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sends messages sequentially. Repeats each one until it succeeds, or until the load ends.
    fn call(&self, caller: usize) {
        let place = caller % self.wallets.len();
        for number in 0.. {
            let mut sent = message(&self.wallets[place], &format!("{}-{caller}-{number}", self.name), number);
            while !self.has_ended() && sent.answer.is_none() {
                sent.answer = self.try_once(&sent);
                thread::sleep(PAUSE);
            }
            self.log[place].lock().unwrap().push(sent);
            if self.has_ended() {
                return;
            }
        }
    }

    /// Sends a message. Returns its answer if it succeeded.
    fn try_once(&self, sent: &Sent) -> Option<Answer> {
        match sent.send(self.client()) {
            Ok(answer) if matches!(answer.status, 200 | 201) => {
                self.successes.lock().unwrap().push(Instant::now());
                return Some(answer);
            }
            Ok(answer) if is_from_florin(&answer) => {
                expect_refusal(&answer);
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
            // The balancer has no instance that is ready.
            Ok(answer) => {
                assert!(matches!(answer.status, 502..=504), "{answer:?}");
                self.unanswered.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {
                self.unanswered.fetch_add(1, Ordering::Relaxed);
            }
        }
        None
    }

    /// Reads a list and the feed of changes until the load ends.
    fn read(&self, feed: &mut Feed) {
        let client = self.client();
        while !self.has_ended() {
            let list = client.call("GET", CHECKOUTS).try_send();
            let changes = next_page(client, feed);
            if let Some(changes) = &changes {
                feed.accept(changes);
            }
            for answer in list.iter().chain(&changes).filter(|answer| is_from_florin(answer)) {
                if answer.status == 200 {
                    self.reads.fetch_add(1, Ordering::Relaxed);
                } else {
                    expect_refusal(answer);
                }
            }
            thread::sleep(PAUSE);
        }
    }

    /// Waits until this number of further messages succeeded.
    pub(crate) fn wait_for_successes(&self, count: usize) {
        let now = || self.successes.lock().unwrap().len();
        let (start, before) = (Instant::now(), now());
        while now() < before + count {
            assert!(start.elapsed() < 2 * MAX_WAIT, "{} of {count} messages succeeded: {self}", now() - before);
            assert!(!self.has_ended(), "a caller failed");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the longest time between two successes.
    pub(crate) fn longest_outage(&self) -> Duration {
        let mut successes = self.successes.lock().unwrap().clone();
        successes.sort_unstable();
        successes.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
    }

    /// Repeats every message with its key. Messages that were answered must replay their answers. The others take
    /// effect now, at the latest. So each message has exactly one effect on the balances.
    pub(crate) fn repeat_and_verify(&self, before: &[Balance]) {
        together(self.wallets.len(), |place| {
            let log = self.log[place].lock().unwrap();
            for sent in log.iter() {
                let again = self.send_until_accepted(sent);
                assert!(sent.is_preserved(&again), "an answered message was lost: {} {again:?}", sent.key);
            }
            let (available, ledger) = sum(&log.iter().collect::<Vec<_>>());
            let before = before[place];
            let expected = Balance { ledger: before.ledger + ledger, available: before.available + available };
            assert_eq!(self.wallets[place].balance(), expected, "each of {} messages has one effect", log.len());
        });
    }

    /// Sends a message until it succeeds.
    fn send_until_accepted(&self, sent: &Sent) -> Answer {
        let start = Instant::now();
        loop {
            if let Some(answer) = self.try_once(sent) {
                return answer;
            }
            assert!(start.elapsed() < MAX_WAIT, "{} does not succeed", sent.key);
            thread::sleep(PAUSE);
        }
    }
}

impl fmt::Display for Load<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: usize = self.log.iter().map(|log| log.lock().unwrap().len()).sum();
        write!(
            f,
            "{:.1} s without a success; {messages} messages, {:?} refusals, {:?} without an answer, {:?} reads",
            self.longest_outage().as_secs_f64(),
            self.refused,
            self.unanswered,
            self.reads,
        )
    }
}

/// Whether an answer is Florin's, not the balancer's.
fn is_from_florin(answer: &Answer) -> bool {
    answer.header("content-type").is_some_and(|media| media.contains("json"))
}

/// Checks an answer without success: 503 with `Retry-After`, or 409 because the first attempt is still in progress.
fn expect_refusal(answer: &Answer) {
    if answer.status == 409 {
        assert_eq!(expect_error(answer, 409)[0].code, "idempotency_in_flight");
        return;
    }
    assert_eq!(expect_error(answer, 503)[0].code, "overloaded");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
}

/// Reads the next page of the feed. Returns `None` if the read fails.
fn next_page(client: &Client, feed: &Feed) -> Option<Answer> {
    let answer = changes_after(client, &feed.cursor, "include=messages&limit=100");
    if answer.status == 200 {
        return Some(answer);
    }
    if is_from_florin(&answer) {
        expect_refusal(&answer);
    }
    None
}
