//! SIGKILL under load: acknowledged requests are stored, all others completely or not at all, and retries get the
//! stored response. `FLORIN_KILLS` is the number of kills.

use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::assert::text;
use crate::support::batches::{confirm, funded_server, open_session};
use crate::support::load::{KillCounts, Sent, check_journal, message, repeat_all, sum};
use crate::support::server::MAX_WAIT;
use crate::support::setting::setting;
use crate::support::wallet::Balance;
use crate::support::{REVERSAL, Server, Wallet, Workspace, demo, expect_fault, expect_json};

const THREADS: usize = 8;
const FUNDS: i64 = 10_000_000;
/// Minimum number of kills of a long run.
const LONG_RUN: usize = 100;
/// Number of messages that must be acknowledged before each kill of a long run: about 100,000 in a run with 284 kills.
const LONG_LOAD: usize = 352;

/// Kills a server under a load of messages, after `enough` of them were answered. Returns its workspace and all
/// messages.
fn kill_under_load(server: Server, wallet: &Wallet, round: usize, enough: usize) -> (Workspace, Vec<Sent>) {
    let log = Mutex::new(Vec::new());
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    let workspace = thread::scope(|scope| {
        for worker in 0..THREADS {
            let (log, stop, answered) = (&log, &stop, &answered);
            scope.spawn(move || {
                for number in 0_usize.. {
                    let mut sent = message(wallet, &format!("round-{round}-{worker}-{number}"), number);
                    let outcome = sent.send(&wallet.client);
                    sent.answer = outcome.ok();
                    let is_killed = sent.answer.is_none();
                    log.lock().unwrap().push(sent);
                    answered.fetch_add(usize::from(!is_killed), Ordering::Relaxed);
                    if is_killed || stop.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let start = Instant::now();
        while answered.load(Ordering::Relaxed) < enough && start.elapsed() < MAX_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
        let workspace = server.kill();
        stop.store(true, Ordering::Relaxed);
        workspace
    });
    let log = log.into_inner().unwrap();
    assert!(log.iter().filter(|sent| sent.answer.is_some()).count() >= enough, "too little load");
    (workspace, log)
}

/// Checks the balance: it includes all answered messages, and every unanswered message completely or not at all.
fn assert_balance_adds_up(before: Balance, after: Balance, answered: &[&Sent], unanswered: &[&Sent]) {
    let (available, ledger) = sum(answered);
    let available_difference = after.available - before.available - available;
    let ledger_difference = after.ledger - before.ledger - ledger;
    let is_explained = (0..1_usize << unanswered.len()).any(|mask| {
        let chosen: Vec<_> =
            unanswered.iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0).map(|(_, sent)| *sent).collect();
        sum(&chosen) == (available_difference, ledger_difference)
    });
    assert!(
        is_explained,
        "{} unanswered messages do not explain the differences {available_difference} and {ledger_difference}",
        unanswered.len()
    );
}

/// Returns the wallet with a client of a restarted server.
fn wallet_at(server: &Server, wallet: &Wallet) -> Wallet {
    Wallet { client: server.client(), ..wallet.clone() }
}

/// Returns the number of kills.
fn kills() -> usize {
    usize::try_from(setting("FLORIN_KILLS", 3)).unwrap()
}

/// Returns the number of messages that are acknowledged before a kill.
fn messages_before_kill(round: usize) -> usize {
    if kills() < LONG_RUN { 60 + 40 * (round % 3) } else { LONG_LOAD }
}

#[test]
fn kills_under_load_lose_and_double_nothing() {
    let mut server = Server::sandbox();
    let mut wallet = Wallet::with(&server, "GBP", FUNDS);
    let mut counts = KillCounts::default();
    for round in 0..kills() {
        let before = wallet.balance();
        let (workspace, log) = kill_under_load(server, &wallet, round, messages_before_kill(round));
        assert!(log.iter().flat_map(|sent| &sent.answer).all(|answer| matches!(answer.status, 200 | 201)));
        check_journal(&workspace);

        server = Server::on(workspace);
        wallet = wallet_at(&server, &wallet);
        let (answered, unanswered): (Vec<_>, Vec<_>) = log.iter().partition(|sent| sent.answer.is_some());
        assert!(unanswered.len() <= THREADS);
        assert_balance_adds_up(before, wallet.balance(), &answered, &unanswered);

        let answers = repeat_all(&wallet.client, &log);
        let expected = wallet.balance();
        counts.add(&log, &answers, before, expected);

        let mut released = 0;
        for answer in answers.iter().filter(|answer| answer.status == 201) {
            let answer = answer.json();
            wallet.follow_ok(REVERSAL, text(&answer, "/transaction/token"), "1.00");
            released += 100;
        }
        let expected = Balance { available: expected.available + released, ..expected };
        assert_eq!(wallet.balance(), expected);
    }
    counts.report();
    check_journal(&server.kill());
}

#[test]
fn a_confirmed_batch_stays_confirmed() {
    let mut server = funded_server();
    for batch in demo().batches("validated").into_iter().take(3) {
        let client = server.client();
        let session = open_session(&client, &batch);
        let spare = open_session(&client, &batch);
        expect_json(&confirm(&client, &batch, &session, "000000"), 200);
        let workspace = server.kill();
        check_journal(&workspace);
        server = Server::on(workspace);
        let again = confirm(&server.client(), &batch, &spare, "000000");
        expect_fault(&again, 409, "path.paymentBatchId", "invalid_state");
    }
}

#[test]
fn the_journal_of_untouched_demo_data_adds_up() {
    check_journal(&Workspace::demo());
}

#[test]
fn a_server_that_is_killed_while_it_starts_can_start_again() {
    let mut workspace = Workspace::demo();
    for _ in 0..kills() {
        let mut child =
            workspace.command(&["serve", "--json"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(30));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    check_journal(&workspace);
    let server = Server::on(workspace);
    expect_json(&server.client().get(crate::support::BANKS), 200);
    workspace = server.kill();
    check_journal(&workspace);
}

#[test]
fn the_demo_data_is_complete_after_kills_during_its_creation() {
    let workspace = Workspace::empty();
    for pause in [5, 20, 60].into_iter().cycle().take(kills()) {
        let mut child = workspace.command(&["demo", "--json"]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let created = workspace.json(&["demo", "--json"]);
    assert_eq!(created["checkouts"].as_array().unwrap().len(), demo().json["checkouts"].as_array().unwrap().len());
    assert_eq!(created["apiKey"], demo().json["apiKey"]);
    check_journal(&workspace);
    let server = Server::on(workspace);
    expect_json(&server.client().get(crate::support::CHECKOUTS), 200);
}
