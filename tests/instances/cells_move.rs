//! A client that moves to another cell and back while two instances serve it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::pair::{Pair, prevent_restarts, until};
use crate::support::cells::{Tenant, add_cells, listed_cell, move_to};
use crate::support::guards::SetOnDrop;
use crate::support::load::check_journal;
use crate::support::management::{balance, funded};
use crate::support::money::format_amount;
use crate::support::server::MAX_WAIT;
use crate::support::stream::Stream;
use crate::support::wallet::credit_body;
use crate::support::{Answer, CREDIT, Client, Workspace, expect_error, expect_json, together};

/// Number of callers. Half of them begin at each instance.
const CALLERS: usize = 4;
/// Number of credits that must be acknowledged through each instance before, between and after the moves.
const BETWEEN: usize = 20;
/// The refusal of a request that may have had an effect: it took long, and its client has moved meanwhile.
const UNKNOWN: &str = "may have taken effect";

/// A credit of a penny with its first answer: a success, or a refusal because of a move.
struct Sent {
    /// The idempotency key.
    key: String,
    first: Answer,
}

/// The load on both instances.
#[derive(Default)]
struct Load {
    /// The number of credits that each instance has acknowledged.
    acknowledged: [AtomicUsize; 2],
    stop: AtomicBool,
}

impl Load {
    /// Sends credits to an instance until `stop` is set, each with its own idempotency key.
    fn send(&self, caller: &Client, budget: &str, number: usize) -> Vec<Sent> {
        let mut log = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let key = format!("{number}-{}", log.len());
            let first = credit(caller, budget, &key);
            if is_acknowledged(&first) {
                self.acknowledged[number % 2].fetch_add(1, Ordering::Relaxed);
            } else {
                thread::sleep(Duration::from_millis(20));
            }
            log.push(Sent { key, first });
        }
        log
    }

    /// Waits until each instance has acknowledged more credits.
    fn wait_for_more(&self) {
        let counts = || self.acknowledged.each_ref().map(|count| count.load(Ordering::Relaxed));
        let before = counts();
        let grew = || counts().into_iter().zip(before).all(|(now, before)| now >= before + BETWEEN);
        until("credits through both instances", 2 * MAX_WAIT, grew);
    }
}

fn credit(caller: &Client, budget: &str, key: &str) -> Answer {
    caller.post_once(CREDIT, key, credit_body(budget, "0.01", "GBP"))
}

/// Whether a credit succeeded. Otherwise, its refusal must name the move.
fn is_acknowledged(answer: &Answer) -> bool {
    if answer.status == 200 {
        return true;
    }
    let message = &expect_error(answer, 503)[0].message;
    assert!(message.contains("is being moved") || message.contains(UNKNOWN), "{answer:?}");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    false
}

/// Repeats credits. The other instance must replay the answer of a credit that was acknowledged. A credit that was
/// refused must succeed through the other instance, and its own instance must then replay the answer.
fn repeat([own, other]: [&Client; 2], budget: &str, log: &[Sent]) {
    for Sent { key, first } in log {
        let (stored, again) = if is_acknowledged(first) {
            (first.clone(), credit(other, budget, key))
        } else {
            let retried = credit(other, budget, key);
            expect_json(&retried, 200);
            assert!(!retried.replayed() || first.text().contains(UNKNOWN), "{key}: {first:?} {retried:?}");
            (retried, credit(own, budget, key))
        };
        assert!(again.replayed() && again.body == stored.body, "{key}: {stored:?} {again:?}");
    }
}

/// Sends credits to a client that does not move, through the two instances alternately. Each credit must succeed, and
/// its event must arrive on the stream of the client's events. Returns the number of credits.
fn continue_undisturbed(callers: &[Client; 2], budget: &str, mut stream: Stream, stop: &AtomicBool) -> usize {
    let mut events = BTreeSet::new();
    while !stop.load(Ordering::Relaxed) {
        let caller = &callers[events.len() % 2];
        expect_json(&caller.post(CREDIT, credit_body(budget, "0.01", "GBP")), 200);
        let event = stream.next(MAX_WAIT).expect("the stream of a client that stays continues");
        assert!(events.insert(event.id), "the stream repeats events");
    }
    events.len()
}

#[test]
fn a_client_moves_there_and_back_while_two_instances_serve_it() {
    let _undisturbed = prevent_restarts();
    let (workspace, _databases) = add_cells(Workspace::demo());
    let [ada, bob] = [("Ada", "F70001"), ("Bob", "F70002")].map(|(name, id)| Tenant::create(&workspace, name, id, "a"));
    let pair = Pair::on(workspace);
    let callers = |tenant: &Tenant| [&pair.first, &pair.second].map(|server| tenant.caller(server));
    let (adas, bobs) = (callers(&ada), callers(&bob));
    let (adas_budget, bobs_budget) = (funded(&adas[0], "Other", "1.00"), funded(&bobs[0], "Travel", "10.00"));
    let stream = Stream::open(&adas[0], "types=BoxCredited", None);

    let load = Load::default();
    let (logs, adas_credits) = thread::scope(|scope| {
        let senders: Vec<_> = (0..CALLERS)
            .map(|number| {
                let (load, caller, budget) = (&load, &bobs[number % 2], &bobs_budget);
                scope.spawn(move || load.send(caller, budget, number))
            })
            .collect();
        let staying = scope.spawn(|| continue_undisturbed(&adas, &adas_budget, stream, &load.stop));
        // The load must stop, however the moves end.
        let stop = SetOnDrop(&load.stop);
        for cell in ["b", "a"] {
            load.wait_for_more();
            move_to(pair.first.workspace(), &bob.id, cell);
        }
        load.wait_for_more();
        drop(stop);
        let logs: Vec<_> = senders.into_iter().map(|sender| sender.join().unwrap()).collect();
        (logs, staying.join().unwrap())
    });

    for instance in 0..2 {
        let mut sent = logs.iter().skip(instance).step_by(2).flatten();
        assert!(sent.any(|sent| !is_acknowledged(&sent.first)), "instance {instance} refused nothing");
    }
    together(CALLERS, |number| {
        repeat([&bobs[number % 2], &bobs[(number + 1) % 2]], &bobs_budget, &logs[number]);
    });
    let sums = [1_000 + logs.iter().map(Vec::len).sum::<usize>(), 100 + adas_credits];
    let [bobs_sum, adas_sum] = sums.map(|pennies| format_amount(i64::try_from(pennies).unwrap(), "GBP"));
    for (bob, ada) in bobs.iter().zip(&adas) {
        assert_eq!(balance(bob, &bobs_budget)[0], bobs_sum);
        assert_eq!(balance(ada, &adas_budget)[0], adas_sum);
    }
    let workspace = pair.first.workspace();
    assert_eq!(["a", "b"].map(|cell| listed_cell(workspace, cell)["clients"].clone()), [json!(2), json!(0)]);
    check_journal(workspace);
    for server in [&pair.first, &pair.second] {
        assert!(!server.workspace().log().contains("panicked at"), "{}", server.workspace().log());
    }
}
