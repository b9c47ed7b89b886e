//! Tests deliveries while senders, receivers and the database server are killed.
//!
//! `FLORIN_KILLS` is the number of kills, and `FLORIN_TEST_SEED` the seed of their random numbers. With 100 kills or
//! more, the leases of killed servers end by themselves, as they do in operation. With fewer, the test ends them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::assert::text;
use super::demo::demo;
use super::guards::SetOnDrop;
use super::receiver::{ReceivedDelivery, Receiver};
use super::server::{MAX_WAIT, Server};
use super::setting::setting;
use super::wallet::{credit_body, first_body};
use super::worlds::CLOCK;
use super::{AUTHORIZATION, Answer, CREDIT, Client};

/// Number of threads that cause events.
const THREADS: usize = 4;
/// Number of events that are caused for each kill.
const EVENTS_PER_KILL: usize = 40;
/// Minimum number of kills for which the test waits until the leases of killed servers end.
const LONG_RUN: usize = 100;
/// The time after which all leases of killed servers have ended.
const LEASE_TIME: Duration = Duration::from_secs(61);
/// The types of the two subscriptions. The first one is ordered.
const TYPES: [&str; 2] = ["BoxCredited", "CardTransaction"];

/// A function that kills and restarts the database server.
pub(crate) type RestartDatabase<'a> = &'a dyn Fn(&Server);

/// A load that causes events.
#[derive(Default)]
struct Load {
    clients: Mutex<Vec<Client>>,
    /// The number of events that the threads may cause so far.
    allowed: AtomicUsize,
    /// The number of events that threads have begun to cause, or wait to cause.
    started: AtomicUsize,
    /// The number of events that are stored.
    stored: AtomicUsize,
    stop: AtomicBool,
}

impl Load {
    fn on(servers: &[Server]) -> Self {
        Self { clients: Mutex::new(servers.iter().map(Server::client).collect()), ..Self::default() }
    }

    /// Causes events through an instance until the load ends.
    fn run(&self, thread: usize) {
        loop {
            let number = self.started.fetch_add(1, Ordering::Relaxed);
            while number >= self.allowed.load(Ordering::Relaxed) {
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
                thread::sleep(Duration::from_millis(2));
            }
            let currency = if number.is_multiple_of(4) { "GBP" } else { "EUR" };
            let (path, body) = match number % 2 {
                0 => (CREDIT, credit_body(&demo().budget(currency), "0.07", currency)),
                _ => (AUTHORIZATION, first_body(&demo().active_card("GBP").id, "0.01")),
            };
            self.repeat_until_success(thread, |client| {
                client.call("POST", path).header("Idempotency-Key", &format!("event-{number}")).json(&body).try_send()
            });
            self.stored.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Repeats a request until it succeeds, or the load ends.
    fn repeat_until_success(&self, thread: usize, send: impl Fn(&Client) -> Result<Answer, String>) {
        let start = Instant::now();
        loop {
            let client = {
                let clients = self.clients.lock().unwrap();
                clients[thread % clients.len()].clone()
            };
            let answer = send(&client);
            match &answer {
                Ok(answer) if answer.status < 300 => return,
                Ok(answer) => assert!(answer.status == 503, "{answer:?}"),
                Err(_) => {}
            }
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            assert!(start.elapsed() < 4 * MAX_WAIT, "{answer:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until `stored` events are stored.
    fn wait_for(&self, stored: usize) {
        let start = Instant::now();
        while self.stored.load(Ordering::Relaxed) < stored {
            assert!(start.elapsed() < 4 * MAX_WAIT, "only {} of {stored} events", self.stored.load(Ordering::Relaxed));
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Advances the clock of the account, so that retries are due.
    fn advance(&self, by: &str) {
        self.repeat_until_success(0, |client| {
            client.call("POST", CLOCK).json(json!({"advanceBy": by}).to_string()).try_send()
        });
    }
}

/// Kills a server, a receiver and the database server in turn, at random times, while events are caused through all
/// instances. Then checks the deliveries that the receivers received.
pub(crate) fn check_deliveries(mut servers: Vec<Server>, restart_database: Option<RestartDatabase<'_>>) {
    let (seed, kills) = (setting("FLORIN_TEST_SEED", 1), usize::try_from(setting("FLORIN_KILLS", 6)).unwrap());
    report(&format!("this run has FLORIN_TEST_SEED={seed} FLORIN_KILLS={kills}"));
    let (mut rng, load) = (Rng::with_seed(seed), Load::on(&servers));
    let receivers = TYPES.map(|_| Receiver::start());
    for (receiver, name) in receivers.iter().zip(TYPES) {
        receiver.subscribe(&servers[0].client(), name, &json!({"ordered": name == TYPES[0]}));
    }
    thread::scope(|scope| {
        // The scope waits for its threads, even after a failure.
        let _stop = SetOnDrop(&load.stop);
        for thread in 0..THREADS {
            let load = &load;
            scope.spawn(move || load.run(thread));
        }
        for kill in 0..kills {
            let before = kill * EVENTS_PER_KILL;
            load.allowed.store(before + EVENTS_PER_KILL, Ordering::Relaxed);
            load.wait_for(before + rng.usize(..EVENTS_PER_KILL));
            match kill % (2 + usize::from(restart_database.is_some())) {
                0 => {
                    let index = rng.usize(..servers.len());
                    let workspace = servers.remove(index).kill();
                    servers.insert(index, Server::on(workspace));
                    load.clients.lock().unwrap()[index] = servers[index].client();
                }
                1 => {
                    let receiver = &receivers[rng.usize(..receivers.len())];
                    receiver.kill();
                    load.wait_for(before + EVENTS_PER_KILL);
                    receiver.revive();
                    load.advance("PT1H");
                }
                _ => restart_database.into_iter().for_each(|restart| restart(&servers[0])),
            }
            load.wait_for(before + EVENTS_PER_KILL);
        }
    });
    let servers = if kills < LONG_RUN { without_leases(servers) } else { servers };
    if kills >= LONG_RUN {
        thread::sleep(LEASE_TIME);
    }
    let load = Load::on(&servers);
    for (receiver, name) in receivers.iter().zip(TYPES) {
        let (arrived, committed) = drain(receiver, &load, || committed(&servers[0].client(), name));
        // Advancing the clock expires holds, so there may be more card messages.
        let (found, expected) = (committed.len(), kills * EVENTS_PER_KILL / 2);
        let is_complete = if name == TYPES[0] { found == expected } else { found >= expected };
        assert!(is_complete, "{found} events of {name}, not {expected}");
        check(&arrived, &committed, name == TYPES[0]);
    }
}

/// Restarts all instances, and ends the leases of those that were killed, which would last a minute.
fn without_leases(servers: Vec<Server>) -> Vec<Server> {
    let workspaces: Vec<_> = servers.into_iter().map(|server| server.stop().1).collect();
    workspaces[0].sql("UPDATE webhook_deliveries SET lease_id = NULL, leased_until = NULL").unwrap();
    workspaces.into_iter().map(Server::on).collect()
}

/// A page of a list whose rows are kept as text.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
}

/// Returns the texts of all stored events of a type, by id.
fn committed(client: &Client, name: &str) -> Committed {
    let mut all = BTreeMap::new();
    loop {
        let path = format!("/v2/events?accountId={}&types={name}&limit=1000&offset={}", client.account, all.len());
        let page = client.get(&path).text();
        let Page { rows } = serde_json::from_str(&page).unwrap();
        if rows.is_empty() {
            return all;
        }
        for row in rows {
            let event: serde_json::Value = serde_json::from_str(row.get()).unwrap();
            all.insert(text(&event, "/body/messageId").to_owned(), row.get().to_owned());
        }
    }
}

/// The texts of stored events, by id.
type Committed = BTreeMap<String, String>;

/// Waits until a receiver has accepted all events, and returns what arrived. A receiver that is killed loses the events
/// that it has not answered, so these must arrive again. Retries are due by the clock of the account.
fn drain(receiver: &Receiver, load: &Load, committed: impl Fn() -> Committed) -> (Vec<ReceivedDelivery>, Committed) {
    let start = Instant::now();
    loop {
        // Reads in this order, so that every accepted delivery is among those that arrived, and each of these among
        // the committed ones.
        let (accepted, arrived) = (receiver.accepted(), receiver.arrived());
        let committed = committed();
        if committed.keys().all(|id| accepted.contains(id)) {
            return (arrived, committed);
        }
        assert!(start.elapsed() < 4 * MAX_WAIT, "{} of {} events were accepted", accepted.len(), committed.len());
        load.advance("PT1H");
        thread::sleep(Duration::from_millis(500));
    }
}

/// Checks that every committed event arrived, that repeats have the same bytes, and that nothing else arrived. If the
/// subscription is ordered, no event arrives after a later one of its object.
fn check(arrived: &[ReceivedDelivery], committed: &Committed, is_ordered: bool) {
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for webhook in arrived {
        assert_eq!(Some(&webhook.body), committed.get(webhook.id()), "{webhook:?}");
        ids.insert(webhook.id());
        let event = webhook.event();
        let (object, sequence) = (text(&event, "/objectId").to_owned(), event["sequence"].as_u64().unwrap());
        let before = last.insert(object, sequence);
        assert!(!is_ordered || before.unwrap_or(sequence) <= sequence, "{before:?} before {webhook:?}");
    }
    assert_eq!(ids.len(), committed.len());
    report(&format!("{} events arrived, {} of them again", arrived.len(), arrived.len() - committed.len()));
}

#[allow(clippy::print_stderr, reason = "the test runner shows it on request")]
fn report(text: &str) {
    eprintln!("{text}");
}
