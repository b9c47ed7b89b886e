//! SIGKILL while payers pay, and merchants cancel and refund: nothing is paid twice or lost, and nothing is stuck.
//!
//! `FLORIN_KILLS` is the number of kills, and `FLORIN_TEST_SEED` the seed of their random numbers.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::events::{assert_no_gaps, events, name};
use crate::support::assert::{expect_invariants, text};
use crate::support::load::check_journal;
use crate::support::management::{balance, budget};
use crate::support::money::{format_amount, parse_amount};
use crate::support::payer::{form_token, urlencoded};
use crate::support::server::MAX_WAIT;
use crate::support::setting::setting;
use crate::support::shop::{PAYMENTS, SESSIONS, TOP_UPS, bank, new_session, open_shop, sold};
use crate::support::store::is_sqlite;
use crate::support::worlds::{create_world, set_clock};
use crate::support::{Answer, Client, Server, Workspace, expect_json};

const WORKERS: usize = 6;
/// Number of kills on one store. Each kill uses a separate world, and a client has at most 100 worlds.
const KILLS_PER_STORE: u64 = 50;
const PUBLIC_URL: &str = "https://pay.example";

/// A write with its idempotency key, and its answer, if one arrived.
struct Sent {
    path: String,
    key: String,
    body: String,
    /// Whether no other worker uses the object, so that the write must be accepted.
    is_own: bool,
    answer: Option<Answer>,
}

impl Sent {
    fn send(&self, client: &Client) -> Result<Answer, String> {
        client.call("POST", &self.path).header("Idempotency-Key", &self.key).json(&self.body).try_send()
    }

    /// Returns the record of a write that was accepted.
    fn record(&self) -> Option<Value> {
        self.answer.as_ref().filter(|answer| answer.status < 300).map(Answer::json)
    }
}

/// An account, and the objects that several workers use concurrently.
struct Scene {
    client: Client,
    checkout: String,
    bank: String,
    budget: String,
    /// Sessions that are not paid yet.
    open: Vec<Value>,
    /// A payment of 12.50.
    payment: String,
    /// Refunds of another payment.
    refunds: Vec<Value>,
}

impl Scene {
    fn create(server: &Server) -> Self {
        let (_, client) = create_world(server, json!({"template": "empty", "startsAt": "2026-09-01T12:00:00Z"}));
        let checkout = open_shop(&client);
        let (budget, bank) = (budget(&client, "Float"), bank(&client));
        let create = |number: usize| {
            let body = new_session(&checkout, &format!("open-{number}")).to_string();
            expect_json(&client.post(SESSIONS, body), 201)
        };
        let open = (0..6).map(create).collect();
        let paid = |key| text(&sold(&client, &checkout, key), "/paymentId").to_owned();
        let (payment, other) = (paid("paid-1"), paid("paid-2"));
        let refund = |_| expect_json(&client.post(&refunds_of(&other), pounds("3.00")), 201);
        let refunds = (0..4).map(refund).collect();
        Self { client, checkout, bank, budget, open, payment, refunds }
    }

    /// Sends writes until the server is killed: on its own objects, or on objects that the other workers use, too.
    fn work(&self, rng: &mut Rng, name: &str, log: &dyn Fn(Sent) -> Option<Value>) {
        for number in 0.. {
            let key = format!("{name}-{number}");
            let write = |is_own: bool, step: &str, path: String, body: String| {
                log(Sent { path, key: format!("{key}-{step}"), body, is_own, answer: None })
            };
            let own = |step: &str, path: String, body: String| write(true, step, path, body);
            let send = |step: &str, path: String, body: String| write(false, step, path, body);
            let session = &self.open[rng.usize(..self.open.len())];
            let path = format!("{SESSIONS}/{}/cancel", text(session, "/id"));
            let outcome = match rng.u8(..8) {
                0 | 1 => self.purchase(&key, &own),
                2 => self.top_up(&key, &own),
                3 => send("pay", pay_path(session), self.pay_body("approve")),
                4 => send("pay", pay_path(session), self.pay_body("pending")),
                5 => send("cancel", path, "{}".to_owned()),
                6 => send("refund", refunds_of(&self.payment), pounds("1.00")),
                7 if rng.bool() => self.pay_on_page(session),
                _ => {
                    let refund = &self.refunds[rng.usize(..self.refunds.len())];
                    send("authorise", authorise_path(refund), r#"{"outcome": "approve"}"#.to_owned())
                }
            };
            if outcome.is_none() {
                break;
            }
        }
    }

    fn pay_body(&self, outcome: &str) -> String {
        json!({"bankId": self.bank, "outcome": outcome}).to_string()
    }

    /// Creates and pays a session, and refunds a part of the payment.
    fn purchase(&self, key: &str, send: &dyn Fn(&str, String, String) -> Option<Value>) -> Option<Value> {
        let session = send("create", SESSIONS.to_owned(), new_session(&self.checkout, key).to_string())?;
        let paid = send("pay", pay_path(&session), self.pay_body("approve"))?;
        let refund = send("refund", refunds_of(text(&paid, "/paymentId")), pounds("1.00"))?;
        send("authorise", authorise_path(&refund), r#"{"outcome": "approve"}"#.to_owned())
    }

    fn top_up(&self, key: &str, send: &dyn Fn(&str, String, String) -> Option<Value>) -> Option<Value> {
        let amount = json!({"amount": "0.07", "currencyCode": "GBP"});
        let body = json!({"budgetId": self.budget, "amount": amount, "idempotencyKey": key}).to_string();
        let session = send("top-up", TOP_UPS.to_owned(), body)?;
        send("credit", pay_path(&session), self.pay_body("approve"))
    }

    /// Pays on the page. Another worker may be faster.
    fn pay_on_page(&self, session: &Value) -> Option<Value> {
        let path = format!("{}?", text(session, "/checkoutUrl").strip_prefix(PUBLIC_URL).unwrap());
        let payer = self.client.with_authorization(None);
        for fields in
            [&[("action", "choose"), ("bankId", &self.bank)][..], &[("action", "approve"), ("name", "approve")]]
        {
            let page = payer.call("GET", &path).try_send().ok()?;
            if page.text().contains("name=\"formToken\"") {
                let token = form_token(&page.text());
                let form = urlencoded(&[&[("formToken", token.as_str())], fields].concat());
                let call = payer.call("POST", &path).header("Origin", &format!("http://{}", payer.address));
                call.header("Content-Type", "application/x-www-form-urlencoded").bytes(form).try_send().ok()?;
            }
        }
        Some(Value::Null)
    }

    /// Runs all workers, and kills the server after a random number of answers. Returns its workspace and all writes.
    fn work_until_killed(&self, server: Server, rng: &mut Rng) -> (Workspace, Vec<Sent>) {
        let enough = rng.usize(1..60);
        let (log, stop, answered) = (Mutex::new(Vec::new()), AtomicBool::new(false), AtomicUsize::new(0));
        let send = |mut sent: Sent| {
            sent.answer = sent.send(&self.client).ok();
            if let Some(answer) = &sent.answer {
                assert!(!sent.is_own || answer.status < 300, "{}: {answer:?}", sent.key);
                answered.fetch_add(1, Ordering::Relaxed);
            }
            let record = sent.answer.as_ref().map(|_| sent.record().unwrap_or(Value::Null));
            log.lock().unwrap().push(sent);
            record.filter(|_| !stop.load(Ordering::Relaxed))
        };
        let (workspace, before) = thread::scope(|scope| {
            for worker in 0..WORKERS {
                let (mut rng, send) = (rng.fork(), &send);
                scope.spawn(move || self.work(&mut rng, &format!("worker-{worker}"), send));
            }
            let start = Instant::now();
            while answered.load(Ordering::Relaxed) < enough && start.elapsed() < MAX_WAIT {
                thread::sleep(Duration::from_micros(300));
            }
            let before = answered.load(Ordering::Relaxed);
            let workspace = server.kill();
            stop.store(true, Ordering::Relaxed);
            (workspace, before)
        });
        assert!(before >= enough, "only {before} of {enough} answers in {MAX_WAIT:?}");
        (workspace, log.into_inner().unwrap())
    }

    /// Returns every session of the account, or every payment and refund.
    fn list(&self, path: &str) -> Vec<Value> {
        let found = expect_json(&self.client.get(&format!("{path}?accountId={}&limit=1000", self.client.account)), 200);
        let rows = found["rows"].as_array().unwrap().clone();
        assert_eq!(found["count"], rows.len());
        rows
    }

    /// Repeats every write. Accepted writes are replayed, and no object is paid, cancelled or authorised twice.
    fn repeat(&self, log: &[Sent]) {
        let mut accepted = BTreeSet::new();
        for sent in log {
            let again = sent.send(&self.client).unwrap();
            match &sent.answer {
                Some(first) if first.status < 300 => {
                    assert!(again.replayed(), "an answered write was lost: {} {again:?}", sent.key);
                    assert_eq!(
                        (again.status, without_link(&again.json())),
                        (first.status, without_link(&first.json()))
                    );
                }
                _ => assert!(matches!(again.status, 200 | 201 | 409), "{again:?}"),
            }
            let ends = sent.path.rsplit_once('/').filter(|(_, verb)| matches!(*verb, "pay" | "cancel" | "authorise"));
            if let (Some((object, _)), 200) = (ends, again.status) {
                let object = object.rsplit('/').next().unwrap().to_owned();
                assert!(accepted.insert(object), "{} was accepted, although its object had ended", sent.key);
            }
        }
    }

    /// Advances the clock, and completes open sessions and refunds: none may be stuck.
    fn finish(&self) {
        set_clock(&self.client, json!({"advanceBy": "PT1M"}));
        for session in self.list(SESSIONS) {
            assert_ne!(session["status"], "PROCESSING", "stuck: {session}");
            if session["status"] == "OPEN" {
                self.pay_on_page(&session);
            }
        }
        for refund in self.list(PAYMENTS).iter().filter(|row| row["type"] == "REFUND" && row["status"] == "PENDING") {
            let path = format!("/v2/sandbox/refunds/{}/authorise", text(refund, "/refundId"));
            expect_json(&self.client.post(&path, r#"{"outcome": "approve"}"#), 200);
        }
    }

    /// Checks the sums, and that each session was paid once or not at all.
    fn check_sums(&self, log: &[Sent]) {
        let (sessions, rows) = (self.list(SESSIONS), self.list(PAYMENTS));
        let completed = |row: &&Value| row["status"] == "COMPLETED";
        assert!(rows.iter().all(|row| row["status"] != "PENDING"), "stuck: {rows:#?}");
        for session in &sessions {
            let own = rows.iter().filter(|row| row["checkoutSessionId"] == session["id"] && row["type"] == "PAYMENT");
            let paid: Vec<_> = own.filter(completed).map(|row| row["id"].clone()).collect();
            let expected = if session["status"] == "COMPLETED" { vec![session["paymentId"].clone()] } else { vec![] };
            assert_eq!(paid, expected, "{session}");
            assert!(matches!(text(session, "/status"), "COMPLETED" | "CANCELLED"), "{session}");
        }
        let sum = |kind: &str| {
            let rows = rows.iter().filter(completed).filter(|row| row["type"] == kind);
            rows.map(|row| parse_amount(text(row, "/amount/amount"), "GBP")).sum::<i64>()
        };
        let (paid, refunded) = (sum("PAYMENT"), sum("REFUND"));
        let path = format!("/v2/merchant?accountId={}&include=paymentsSummary", self.client.account);
        let summary = expect_json(&self.client.get(&path), 200)["paymentsSummary"][0].take();
        let amounts = (text(&summary, "/paidAmount"), text(&summary, "/refundedAmount"));
        assert_eq!(amounts, (format_amount(paid, "GBP").as_str(), format_amount(refunded, "GBP").as_str()));
        // Writes without an answer were repeated, so each top-up was credited.
        let credits = log.iter().filter(|sent| sent.key.ends_with("-credit")).count();
        assert_eq!(balance(&self.client, &self.budget)[0], format_amount(7 * i64::try_from(credits).unwrap(), "GBP"));
        self.check_events(&sessions);
        expect_invariants(&self.client);
    }

    /// Checks that each session has one event of its end, and no event is missing.
    fn check_events(&self, sessions: &[Value]) {
        let all = events(&self.client, "");
        assert_no_gaps(&all);
        let ends: Vec<_> = all.iter().filter(|body| name(body).starts_with("MerchantCheckoutSession")).collect();
        assert_eq!(ends.len(), sessions.len(), "one event for each end");
        for session in sessions {
            let own: Vec<_> =
                ends.iter().filter(|body| body["objectId"] == session["id"]).map(|body| name(body)).collect();
            let end = if session["status"] == "COMPLETED" { "Completed" } else { "Cancelled" };
            assert_eq!(own, [format!("MerchantCheckoutSession{end}")]);
        }
    }

    /// Checks the effects of accepted writes before anything is repeated.
    fn check_accepted_writes(&self, log: &[Sent]) {
        let (sessions, rows) = (self.list(SESSIONS), self.list(PAYMENTS));
        for (sent, record) in log.iter().filter_map(|sent| Some((sent, sent.record()?))) {
            let key = &sent.key;
            if key.ends_with("-refund") || key.ends_with("-authorise") {
                let row = rows.iter().find(|row| row["refundId"] == record["id"]);
                let row = row.unwrap_or_else(|| panic!("{key} was lost: {record}"));
                assert!(key.ends_with("-refund") || row["status"] == record["status"], "{key}: {row} {record}");
            } else if record["checkoutId"].is_string() {
                let session = sessions.iter().find(|session| session["id"] == record["id"]);
                let session = session.unwrap_or_else(|| panic!("{key} was lost: {record}"));
                assert!(key.ends_with("-create") || session["status"] == record["status"], "{key}: {session} {record}");
            }
        }
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "shows the progress of long runs")]
fn kills_while_merchants_and_payers_act_lose_and_double_nothing() {
    let (seed, mut remaining) =
        (setting("FLORIN_TEST_SEED", 1), setting("FLORIN_KILLS", if is_sqlite() { 6 } else { 3 }));
    eprintln!("this run has FLORIN_TEST_SEED={seed} FLORIN_KILLS={remaining}");
    let mut rng = Rng::with_seed(seed);
    while remaining > 0 {
        let kills = remaining.min(KILLS_PER_STORE);
        let (writes, unanswered) = kill_one_store(&mut rng, kills);
        remaining -= kills;
        eprintln!("{kills} kills during {writes} writes, of which {unanswered} had no answer");
    }
}

/// Kills the servers of one store. Returns the number of writes, and of those without an answer.
fn kill_one_store(rng: &mut Rng, kills: u64) -> (usize, usize) {
    let mut server = Server::on(Workspace::demo().set("FLORIN_PUBLIC_URL", PUBLIC_URL));
    let (mut writes, mut unanswered) = (0, 0);
    for _ in 0..kills {
        let mut scene = Scene::create(&server);
        let (workspace, log) = scene.work_until_killed(server, rng);
        check_journal(&workspace);
        server = Server::on(workspace);
        scene.client.address.clone_from(&server.address);
        scene.check_accepted_writes(&log);
        scene.repeat(&log);
        scene.finish();
        scene.check_sums(&log);
        writes += log.len();
        unanswered += log.iter().filter(|sent| sent.answer.is_none()).count();
    }
    assert!(!server.workspace().log().contains("panicked at"), "{}", server.workspace().log());
    check_journal(&server.kill());
    (writes, unanswered)
}

fn pay_path(session: &Value) -> String {
    format!("/v2/sandbox/checkout-sessions/{}/pay", text(session, "/id"))
}

fn refunds_of(payment: &str) -> String {
    format!("{PAYMENTS}/{payment}/refunds")
}

fn authorise_path(refund: &Value) -> String {
    format!("/v2/sandbox/refunds/{}/authorise", text(refund, "/id"))
}

fn pounds(amount: &str) -> String {
    json!({"amount": {"amount": amount, "currencyCode": "GBP"}}).to_string()
}

/// Returns a record without the link, which only the first answer contains.
fn without_link(record: &Value) -> Value {
    let mut record = record.clone();
    record.as_object_mut().unwrap().remove("authorisationUrl");
    record
}
