//! Keys of worlds that another instance has replaced, or deleted and created again.

use serde_json::json;

use crate::pair::{Pair, prevent_restarts};
use crate::support::assert::text;
use crate::support::wallet::{available, first_body};
use crate::support::worlds::{create_world, world_path};
use crate::support::{AUTHORIZATION, BANKS, demo, while_requesting};

/// Every request that begins after the replacement is refused, on both instances, although they have just used the key.
#[test]
fn an_old_key_reaches_no_new_world_on_either_instance() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let body = json!({"seed": "reborn", "template": "demo", "replace": true});
    let (mut created, mut current) = create_world(&pair.first, body.clone());
    let card = demo().active_card("GBP").id.clone();
    let untouched = available(&current);
    for round in 0..6 {
        let secret = text(&created, "/apiKey").to_owned();
        let old = [&pair.first, &pair.second].map(|server| server.client_of(&secret, &current.account));
        // Continuous reads, so that every cache contains the key and the account.
        (created, current) = while_requesting(&old, "/v2/budgets", || {
            if round % 2 == 1 {
                let deleted = pair.first.client().call("DELETE", &world_path(&current.account)).send();
                assert_eq!(deleted.status, 204);
            }
            create_world(&pair.first, body.clone())
        });
        for client in [&old[1], &old[0]] {
            for answer in [
                client.post(AUTHORIZATION, first_body(&card, "1.00")),
                client.get("/v2/budgets"),
                client.get(BANKS),
                client.call("DELETE", &world_path(&client.account)).send(),
            ] {
                // The calls with a deleted key may exceed the limit on unknown keys.
                assert!([403, 429].contains(&answer.status), "{answer:?}");
            }
        }
        assert_eq!(available(&current), untouched, "round {round}");
    }
}
