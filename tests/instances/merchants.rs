//! Sessions and refunds of a merchant across both instances, which behave like one.

use serde_json::{Value, json};

use crate::pair::{Pair, prevent_restarts};
use crate::support::assert::{expect_invariants, text};
use crate::support::busy::retry_while_overloaded;
use crate::support::load::check_journal;
use crate::support::management::with;
use crate::support::shop::{PAYMENTS, SESSIONS, act_as_payer, bank, new_session, open_shop};
use crate::support::worlds::create_world;
use crate::support::{Answer, Client, expect_fault, expect_json, together};

/// A shop that both instances serve.
struct Scene {
    clients: [Client; 2],
    checkout: String,
    bank: String,
}

impl Scene {
    fn create(pair: &Pair) -> Self {
        let (created, first) = create_world(&pair.first, json!({"template": "empty"}));
        let second = pair.second.client_of(text(&created, "/apiKey"), &first.account);
        let (checkout, bank) = (open_shop(&first), bank(&first));
        Self { clients: [first, second], checkout, bank }
    }

    /// Creates a session of this amount in pounds.
    fn session(&self, key: &str, amount: &str) -> Value {
        let amount = json!({"amount": {"amount": amount, "currencyCode": "GBP"}});
        let body = with(new_session(&self.checkout, key), &amount);
        expect_json(&self.clients[0].post(SESSIONS, body.to_string()), 201)
    }

    /// Pays through one of the instances.
    fn pay(&self, number: usize, session: &Value) -> Answer {
        let approve = json!({"bankId": self.bank, "outcome": "approve"});
        retry_while_overloaded(|| act_as_payer(&self.clients[number % 2], session, &approve))
    }

    /// Cancels through one of the instances.
    fn cancel(&self, number: usize, session: &Value) -> Answer {
        let path = format!("{SESSIONS}/{}/cancel", text(session, "/id"));
        retry_while_overloaded(|| self.clients[number % 2].post(&path, "{}"))
    }

    /// Lists payments through the instance that did not create the sessions.
    fn list(&self, filter: &str) -> Value {
        let client = &self.clients[1];
        expect_json(&client.get(&format!("{PAYMENTS}?accountId={}&{filter}", client.account)), 200)
    }
}

/// Checks that one call succeeded and the others were refused. Returns the session in the successful response.
fn winner(answers: &[Answer]) -> Value {
    let won: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        expect_fault(refused, 409, "path.checkoutSessionId", "invalid_state");
    }
    won[0].json()
}

#[test]
fn one_of_the_payments_and_cancellations_over_both_succeeds() {
    let _undisturbed = prevent_restarts();
    let servers = Pair::sandbox();
    let scene = Scene::create(&servers);
    for round in 0..6 {
        let session = scene.session(&format!("round-{round}"), "12.50");
        let only_payments = round % 2 == 0;
        let answers = together(8, |number| {
            if only_payments || number % 4 < 2 { scene.pay(number, &session) } else { scene.cancel(number, &session) }
        });
        let status = winner(&answers)["status"].clone();
        assert!(!only_payments || status == "COMPLETED", "{status}");
        let path = format!("{SESSIONS}/{}", text(&session, "/id"));
        for client in &scene.clients {
            assert_eq!(expect_json(&client.get(&path), 200)["status"], status);
        }
        let paid = scene.list(&format!("checkoutSessionId={}&status=COMPLETED", text(&session, "/id")));
        assert_eq!(paid["count"], i32::from(status == "COMPLETED"), "{paid}");
    }
    scene.clients.iter().for_each(expect_invariants);
    check_journal(servers.first.workspace());
}

#[test]
fn of_100_refunds_of_1_on_10_over_both_exactly_10_are_created() {
    let _undisturbed = prevent_restarts();
    let servers = Pair::sandbox();
    let scene = Scene::create(&servers);
    let paid = expect_json(&scene.pay(0, &scene.session("sold", "10.00")), 200);
    let payment = text(&paid, "/paymentId");
    let body = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}}).to_string();
    let path = format!("{PAYMENTS}/{payment}/refunds");
    let answers = together(100, |number| retry_while_overloaded(|| scene.clients[number % 2].post(&path, &body)));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 10, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        expect_fault(refused, 409, "body.amount", "invalid_state");
    }
    assert_eq!(scene.list(&format!("refundedPaymentId={payment}"))["count"], 10);
    scene.clients.iter().for_each(expect_invariants);
    check_journal(servers.first.workspace());
}
