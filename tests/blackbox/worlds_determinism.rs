//! Seeded worlds: the same calls in the same order give the same answers, byte for byte.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::management::funded;
use crate::support::payments::{BATCHES, below, confirmed, create, listed, path, pounds, rows, uploaded};
use crate::support::server::LIMIT;
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{CLOCK, below_world, make, world_path};
use crate::support::{
    ADVICE, ATM, AUTHORIZATION, Answer, CHECKOUTS, CLEARING, CREDIT, Client, MFA_SESSIONS, REFUND, REFUND_CLEARING,
    REVERSAL, Server, confirm_path, demo, together,
};

/// Status and body of each answer.
type Told = Vec<(u16, String)>;

/// Runs a script and records the answers.
struct Player<'a> {
    client: &'a Client,
    told: Told,
}

impl Player<'_> {
    fn note(&mut self, answer: &Answer) -> Value {
        self.told.push((answer.status, answer.text()));
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    fn post(&mut self, path: &str, body: &str) -> Value {
        let answer = self.client.post(path, body);
        self.note(&answer)
    }

    fn get(&mut self, path: &str) -> Value {
        let answer = self.client.get(path);
        self.note(&answer)
    }
}

fn token(answer: &Value) -> String {
    answer["transaction"]["token"].as_str().unwrap_or_else(|| panic!("no token in {answer}")).to_owned()
}

/// Makes more than twenty calls of every kind, including refusals and repeats.
fn play(client: &Client) -> Told {
    let card = &demo().active_card("GBP").id;
    let mut player = Player { client, told: Vec::new() };
    let first = token(&player.post(AUTHORIZATION, &first_body(card, "10")));
    let second = token(&player.post(AUTHORIZATION, &first_body(card, "20.50")));
    player.post(AUTHORIZATION, &first_body(card, "99999999"));
    player.post(ADVICE, &follow_body(&first, "12"));
    player.post(CLEARING, &follow_body(&first, "11"));
    player.post(CLEARING, &follow_body(&first, "11"));
    player.post(REVERSAL, &follow_body(&second, "0.50"));
    let refund = token(&player.post(REFUND, &first_body(card, "3")));
    player.post(REFUND_CLEARING, &follow_body(&refund, "3"));
    player.post(ATM, &first_body(card, "40"));
    player.post(CREDIT, &credit_body(&demo().budget("GBP"), "200.00", "GBP"));
    player.post(CLOCK, r#"{"advanceBy": "P1D"}"#);
    let batch = player.post(BATCHES, r#"{"name": "Wages"}"#);
    let batch = batch["id"].as_str().unwrap().to_owned();
    let wanted = [pounds("1.00", "SBX-PENDING"), pounds("2.00", "SBX-PENDING"), pounds("3.00", "SBX-PENDING")];
    player.post(&below(&batch, "payments"), &rows(&wanted));
    player.get(&below(&batch, "payments"));
    let session = player.post(MFA_SESSIONS, &json!({"paymentBatchId": batch}).to_string());
    let mfa = json!({"provider": "sandbox", "sessionId": session["sessionId"], "token": "000000"});
    player.get(&below(&batch, "validate"));
    player.get(&path(&batch));
    player.post(&confirm_path(&batch), &json!({"mfa": mfa}).to_string());
    // Meanwhile holds expire and workers process the batch. Neither changes an id.
    player.post(CLOCK, r#"{"advanceBy": "P10D"}"#);
    player.post(CLEARING, &follow_body(&second, "1"));
    player.post(AUTHORIZATION, &first_body(card, "0"));
    let kept = player.post(&below_world(&client.account, "snapshots"), r#"{"name": "late"}"#);
    let once = player.post(AUTHORIZATION, &first_body(card, "7"));
    let back = json!({"snapshotId": kept["id"]}).to_string();
    let answer = client.post(&below_world(&client.account, "restore"), back);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(player.post(AUTHORIZATION, &first_body(card, "7")), once, "the same again, from the same snapshot");
    player.get(&format!("{CHECKOUTS}?accountId={}&limit=5", client.account));
    player.get(CLOCK);
    player.told
}

#[track_caller]
fn same(one: &Told, other: &Told) {
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
        let (_, client) = make(&server, json!({"seed": "nightly"}));
        runs.push(play(&client));
        assert_eq!(client.call("DELETE", &world_path(&client.account)).send().status, 204);
    }
    // Another process and another database: only the seed and the client matter.
    let elsewhere = Server::sandbox();
    runs.push(play(&make(&elsewhere, json!({"seed": "nightly"})).1));
    same(&runs[0], &runs[1]);
    same(&runs[0], &runs[2]);
    assert!(runs[0].iter().filter(|(status, _)| *status < 300).count() > 20, "{:#?}", runs[0]);
}

#[test]
fn another_seed_has_other_ids() {
    let server = Server::sandbox();
    let ids = ["one", "two"].map(|seed| {
        let (_, client) = make(&server, json!({"seed": seed}));
        let answer = client.post(AUTHORIZATION, first_body(&demo().active_card("GBP").id, "1"));
        token(&answer.json())
    });
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| id.as_bytes()[14] == b'8'), "of version 8: {ids:?}");
}

#[test]
fn concurrent_worlds_do_not_affect_each_other() {
    let alone = Server::sandbox();
    let wanted = ["left", "right"].map(|seed| play(&make(&alone, json!({"seed": seed})).1));
    let server = Server::sandbox();
    let clients = ["left", "right"].map(|seed| make(&server, json!({"seed": seed})).1);
    let told = together(2, |place| play(&clients[place]));
    same(&told[0], &wanted[0]);
    same(&told[1], &wanted[1]);
    let (_, home) = server.stop();
    assert!(home.run(&["check"]).status.success());
}

/// Waits until this number of payments of a batch have been returned.
fn returned(client: &Client, batch: &str, wanted: usize) {
    let start = Instant::now();
    loop {
        let payments = listed(client, &below(batch, "payments"), "limit=1000").0;
        if payments.iter().filter(|payment| payment["status"] == "returned").count() == wanted {
            return;
        }
        assert!(start.elapsed() < LIMIT, "they did not come back: {payments:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Processes two batches with payments that succeed, fail and are returned by a bank in real time, and returns the books.
fn play_payments(client: &Client, pause: Duration) -> Told {
    let mut player = Player { client, told: Vec::new() };
    let budget = funded(client, "Wages", "1000.00");
    for round in 0..2 {
        let batch = create(client, &format!("Wages {round}"));
        let references = ["Wages", "SBX-RETURN", "SBX-FAIL-NAME"];
        let wanted: Vec<_> = (0..9).map(|row| pounds(&format!("{}.00", row + 1), references[row % 3])).collect();
        uploaded(client, &batch, json!({"defaultFundingBudgetId": budget, "rows": wanted}).to_string());
        confirmed(client, &batch);
        thread::sleep(pause);
        returned(client, &batch, 3);
        player.get(&path(&batch));
        player.get(&below(&batch, "payments"));
    }
    let account = &client.account;
    player.get(&format!("/v2/activity/{account}?accountId={account}&limit=100"));
    player.get(&format!("/v2/budgets/{budget}/explanation?accountId={account}&currencyCode=GBP&limit=100"));
    player.get("/v2/sandbox/invariants");
    player.told
}

/// The time and grouping of the bank's answers vary between runs. Ids and their order do not.
#[test]
fn background_work_is_reproducible() {
    let server = [Server::sandbox(), Server::sandbox()];
    let clients: Vec<_> = server.iter().map(|server| make(server, json!({"seed": "payday"})).1).collect();
    let told = together(2, |place| play_payments(&clients[place], Duration::from_millis(place as u64 * 300)));
    same(&told[0], &told[1]);
    let moved = told[0].iter().filter(|(_, body)| body.contains("payment_return")).count();
    assert_eq!(moved, 1, "the explanation tells of them: {told:?}");
}
