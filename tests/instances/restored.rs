//! Calls on a world through one instance, while the other one restores it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;

use crate::pair::{Pair, prevent_restarts};
use crate::support::assert::text;
use crate::support::load::check_journal;
use crate::support::management::{BUDGETS, CARDS, card, funded, new_budget, transfer};
use crate::support::setting::setting;
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{create_world, restore, set_clock, snapshot};
use crate::support::{AUTHORIZATION, Answer, CREDIT, Client, INCREMENT, expect_fault, expect_json};

/// Objects that the snapshot contains.
struct Scene {
    client: Client,
    budgets: [String; 2],
    card: String,
    /// The token of a hold.
    token: String,
}

type Call = (&'static str, fn(&Scene) -> Answer);

/// Calls that succeed before and after a restore. A call that overlaps with a restore may get a 409.
const CALLS: [Call; 16] = [
    ("authorize", |scene| scene.client.post(AUTHORIZATION, first_body(&scene.card, "1.00"))),
    ("credit", |scene| scene.client.post(CREDIT, credit_body(&scene.budgets[0], "2.00", "GBP"))),
    ("transfer", |scene| transfer(&scene.client, &scene.budgets[0], &scene.budgets[1], "0.10")),
    ("create a budget", |scene| scene.client.post(BUDGETS, new_budget("Another", &["GBP"]).to_string())),
    ("change a budget", |scene| {
        let path = format!("{BUDGETS}/{}", scene.budgets[1]);
        scene.client.call("PATCH", &path).json(json!({"name": "Renamed"}).to_string()).send()
    }),
    ("create a card", |scene| {
        let body = json!({"cardOwnerType": "BUDGET", "budgetId": scene.budgets[0], "name": "Test", "activate": true});
        scene.client.post(CARDS, body.to_string())
    }),
    ("change the controls", |scene| {
        let path = format!("{CARDS}/{}/controls", scene.card);
        scene.client.put(&path, json!({}).to_string())
    }),
    ("move the clock", |scene| {
        scene.client.post(crate::support::worlds::CLOCK, json!({"advanceBy": "PT1S"}).to_string())
    }),
    ("create a batch", |scene| scene.client.post("/v2/payment-batches", json!({"name": "Wages"}).to_string())),
    ("list budgets", |scene| scene.client.get(BUDGETS)),
    ("list cards", |scene| scene.client.get(CARDS)),
    ("explain a balance", |scene| {
        let (budget, account) = (&scene.budgets[0], &scene.client.account);
        scene.client.get(&format!("{BUDGETS}/{budget}/explanation?currencyCode=GBP&accountId={account}"))
    }),
    ("create a limit", |scene| {
        let body = json!({"amount": 90_000, "limitWindow": "DAY", "currencyCode": "GBP", "active": true});
        scene.client.post(&format!("{CARDS}/{}/spending-limits", scene.card), body.to_string())
    }),
    ("increase a hold", |scene| scene.client.post(INCREMENT, follow_body(&scene.token, "0.01"))),
    ("read a chain", |scene| scene.client.get(&format!("/v2/cards/simulations/transactions/{}", scene.token))),
    ("check the invariants", |scene| scene.client.get("/v2/sandbox/invariants")),
];

#[test]
fn calls_through_another_instance_never_see_a_partly_restored_world() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let (created, client) = create_world(&pair.first, json!({}));
    set_clock(&client, json!({"freeze": true}));
    let budgets = [funded(&client, "One", "100000.00"), funded(&client, "Two", "100000.00")];
    let card = card(&client, &budgets[0]);
    let token = text(&expect_json(&client.post(AUTHORIZATION, first_body(&card, "1.00")), 201), "/transaction/token")
        .to_owned();
    let saved = snapshot(&client);
    let other = pair.second.client_of(text(&created, "/apiKey"), &client.account);
    let (is_over, scene) = (AtomicBool::new(false), Scene { client: other, budgets, card, token });
    let failed: Vec<String> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLS.len())
            .map(|number| {
                let (name, call) = CALLS[number];
                let (is_over, scene) = (&is_over, &scene);
                scope.spawn(move || {
                    let mut failed = Vec::new();
                    while !is_over.load(Ordering::Relaxed) {
                        let answer = call(scene);
                        if answer.status == 409 {
                            expect_fault(&answer, 409, "", "invalid_state");
                        } else if !matches!(answer.status, 200 | 201) {
                            failed.push(format!("{name}: {} {}", answer.status, answer.text()));
                        }
                    }
                    failed
                })
            })
            .collect();
        for _ in 0..setting("FLORIN_RESTORES", 30) {
            restore(&client, &saved);
        }
        is_over.store(true, Ordering::Relaxed);
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    check_journal(pair.first.workspace());
}
