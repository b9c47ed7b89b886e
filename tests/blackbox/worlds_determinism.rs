//! Seeded worlds: the same calls in the same order give the same answers, byte for byte.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::funded;
use crate::support::payments::{BATCHES, below, confirmed, create, listed, path, pounds, rows, uploaded};
use crate::support::server::MAX_WAIT;
use crate::support::shop::{PAYMENTS, SESSIONS, bank, new_session};
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{CLOCK, below_world, create_world, world_path};
use crate::support::{
    ADVICE, ATM, AUTHORIZATION, Answer, CHECKOUTS, CLEARING, CREDIT, Client, MFA_SESSIONS, REFUND, REFUND_CLEARING,
    REVERSAL, Server, confirm_path, demo, together,
};

/// Status and body of each answer.
type Answers = Vec<(u16, String)>;

/// Runs a script and records the answers.
struct Recorder<'a> {
    client: &'a Client,
    answers: Answers,
}

impl Recorder<'_> {
    fn record(&mut self, answer: &Answer) -> Value {
        self.answers.push((answer.status, answer.text()));
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    fn post(&mut self, path: &str, body: &str) -> Value {
        let answer = self.client.post(path, body);
        self.record(&answer)
    }

    fn get(&mut self, path: &str) -> Value {
        let answer = self.client.get(path);
        self.record(&answer)
    }
}

fn token(answer: &Value) -> String {
    answer["transaction"]["token"].as_str().unwrap_or_else(|| panic!("no token in {answer}")).to_owned()
}

/// Sends more than twenty calls of many kinds, including refusals and repeats.
fn run_script(client: &Client) -> Answers {
    let card = &demo().active_card("GBP").id;
    let mut recorder = Recorder { client, answers: Vec::new() };
    let first = token(&recorder.post(AUTHORIZATION, &first_body(card, "10")));
    let second = token(&recorder.post(AUTHORIZATION, &first_body(card, "20.50")));
    recorder.post(AUTHORIZATION, &first_body(card, "99999999"));
    recorder.post(ADVICE, &follow_body(&first, "12"));
    recorder.post(CLEARING, &follow_body(&first, "11"));
    recorder.post(CLEARING, &follow_body(&first, "11"));
    recorder.post(REVERSAL, &follow_body(&second, "0.50"));
    let refund = token(&recorder.post(REFUND, &first_body(card, "3")));
    recorder.post(REFUND_CLEARING, &follow_body(&refund, "3"));
    recorder.post(ATM, &first_body(card, "40"));
    recorder.post(CREDIT, &credit_body(&demo().budget("GBP"), "200.00", "GBP"));
    recorder.post(CLOCK, r#"{"advanceBy": "P1D"}"#);
    let batch = recorder.post(BATCHES, r#"{"name": "Wages"}"#);
    let batch = batch["id"].as_str().unwrap().to_owned();
    let payments = [pounds("1.00", "SBX-PENDING"), pounds("2.00", "SBX-PENDING"), pounds("3.00", "SBX-PENDING")];
    recorder.post(&below(&batch, "payments"), &rows(&payments));
    recorder.get(&below(&batch, "payments"));
    let session = recorder.post(MFA_SESSIONS, &json!({"paymentBatchId": batch}).to_string());
    let mfa = json!({"provider": "sandbox", "sessionId": session["sessionId"], "token": "000000"});
    recorder.get(&below(&batch, "validate"));
    recorder.get(&path(&batch));
    recorder.post(&confirm_path(&batch), &json!({"mfa": mfa}).to_string());
    let sold = recorder.post(SESSIONS, &new_session("0198c0de-0003-7000-8000-000000000001", "nightly").to_string());
    let later = json!({"bankId": bank(client), "outcome": "pending", "afterMinutes": 5}).to_string();
    recorder.post(&format!("/v2/sandbox/checkout-sessions/{}/pay", text(&sold, "/id")), &later);
    // Meanwhile holds expire, banks report, and workers process the batch. None of this changes an id.
    recorder.post(CLOCK, r#"{"advanceBy": "P10D"}"#);
    let sold = recorder.get(&format!("{SESSIONS}/{}", text(&sold, "/id")));
    let refund = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}}).to_string();
    let refund = recorder.post(&format!("{PAYMENTS}/{}/refunds", text(&sold, "/paymentId")), &refund);
    let approve = format!("/v2/sandbox/refunds/{}/authorise", text(&refund, "/id"));
    recorder.post(&approve, r#"{"outcome": "approve"}"#);
    recorder.get(PAYMENTS);
    recorder.post(CLEARING, &follow_body(&second, "1"));
    recorder.post(AUTHORIZATION, &first_body(card, "0"));
    let saved = recorder.post(&below_world(&client.account, "snapshots"), r#"{"name": "late"}"#);
    let once = recorder.post(AUTHORIZATION, &first_body(card, "7"));
    let back = json!({"snapshotId": saved["id"]}).to_string();
    let answer = client.post(&below_world(&client.account, "restore"), back);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(recorder.post(AUTHORIZATION, &first_body(card, "7")), once, "the same again, from the same snapshot");
    recorder.get(&format!("{CHECKOUTS}?accountId={}&limit=5", client.account));
    recorder.get(CLOCK);
    recorder.answers
}

/// Returns the answers without the URLs of pages, which differ between servers.
fn without_addresses(answers: &Answers) -> Answers {
    let without = |text: &String| {
        let mut parts = text.split("http://127.0.0.1:");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |joined, part| joined + part.trim_start_matches(|c: char| c != '"'))
    };
    answers.iter().map(|(status, text)| (*status, without(text))).collect()
}

#[track_caller]
fn assert_same(one: &Answers, other: &Answers) {
    assert_eq!(one.len(), other.len());
    for (call, (one, other)) in one.iter().zip(other).enumerate() {
        assert_eq!(one, other, "call {call}");
    }
}

#[test]
fn equal_calls_give_equal_answers() {
    let server = Server::sandbox();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let (_, client) = create_world(&server, json!({"seed": "nightly"}));
        runs.push(run_script(&client));
        assert_eq!(client.call("DELETE", &world_path(&client.account)).send().status, 204);
    }
    // Another process and another database: only the seed and the client matter.
    let elsewhere = Server::sandbox();
    runs.push(run_script(&create_world(&elsewhere, json!({"seed": "nightly"})).1));
    assert_same(&runs[0], &runs[1]);
    assert_same(&without_addresses(&runs[0]), &without_addresses(&runs[2]));
    assert!(runs[0].iter().filter(|(status, _)| *status < 300).count() > 20, "{:#?}", runs[0]);
}

#[test]
fn another_seed_has_other_ids() {
    let server = Server::sandbox();
    let ids = ["one", "two"].map(|seed| {
        let (_, client) = create_world(&server, json!({"seed": seed}));
        let answer = client.post(AUTHORIZATION, first_body(&demo().active_card("GBP").id, "1"));
        token(&answer.json())
    });
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| id.as_bytes()[14] == b'8'), "the ids are not of version 8: {ids:?}");
}

#[test]
fn concurrent_worlds_do_not_affect_each_other() {
    let undisturbed = Server::sandbox();
    let expected = ["left", "right"].map(|seed| run_script(&create_world(&undisturbed, json!({"seed": seed})).1));
    let server = Server::sandbox();
    let clients = ["left", "right"].map(|seed| create_world(&server, json!({"seed": seed})).1);
    let answers = together(2, |place| run_script(&clients[place]));
    for (answers, expected) in answers.iter().zip(&expected) {
        assert_same(&without_addresses(answers), &without_addresses(expected));
    }
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

/// Waits until this number of payments of a batch have been returned.
fn wait_until_returned(client: &Client, batch: &str, expected: usize) {
    let start = Instant::now();
    loop {
        let payments = listed(client, &below(batch, "payments"), "limit=1000").0;
        if payments.iter().filter(|payment| payment["status"] == "returned").count() == expected {
            return;
        }
        assert!(start.elapsed() < MAX_WAIT, "the payments were not returned in time: {payments:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Processes two batches with payments that succeed, fail and are returned by a bank in real time, and returns the
/// books.
fn run_payments(client: &Client, pause: Duration) -> Answers {
    let mut recorder = Recorder { client, answers: Vec::new() };
    let budget = funded(client, "Wages", "1000.00");
    for round in 0..2 {
        let batch = create(client, &format!("Wages {round}"));
        let references = ["Wages", "SBX-RETURN", "SBX-FAIL-NAME"];
        let payments: Vec<_> = (0..9).map(|row| pounds(&format!("{}.00", row + 1), references[row % 3])).collect();
        uploaded(client, &batch, json!({"defaultFundingBudgetId": budget, "rows": payments}).to_string());
        confirmed(client, &batch);
        thread::sleep(pause);
        wait_until_returned(client, &batch, 3);
        recorder.get(&path(&batch));
        recorder.get(&below(&batch, "payments"));
    }
    let account = &client.account;
    recorder.get(&format!("/v2/activity/{account}?accountId={account}&limit=100"));
    recorder.get(&format!("/v2/budgets/{budget}/explanation?accountId={account}&currencyCode=GBP&limit=100"));
    recorder.get("/v2/sandbox/invariants");
    recorder.answers
}

/// The time and grouping of the bank's answers vary between runs. Ids and their order do not.
#[test]
fn background_work_is_reproducible() {
    let servers = [Server::sandbox(), Server::sandbox()];
    let clients: Vec<_> = servers.iter().map(|server| create_world(server, json!({"seed": "payday"})).1).collect();
    let answers = together(2, |place| run_payments(&clients[place], Duration::from_millis(place as u64 * 300)));
    assert_same(&answers[0], &answers[1]);
    let moved = answers[0].iter().filter(|(_, body)| body.contains("payment_return")).count();
    assert_eq!(moved, 1, "the explanation contains the return: {answers:?}");
}
