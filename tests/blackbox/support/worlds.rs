//! Worlds of the sandbox and clocks of accounts.

use serde_json::{Value, json};

use super::assert::text;
use super::{Client, Server, expect_json};

pub(crate) const CLOCK: &str = "/v2/sandbox/clock";
/// The path of all worlds. The question mark prevents the client from adding an account.
pub(crate) const WORLDS: &str = "/v2/sandbox/worlds?";

/// Returns the path of a world.
pub(crate) fn world_path(account: &str) -> String {
    format!("/v2/sandbox/worlds/{account}?")
}

/// Returns a path below a world.
pub(crate) fn below_world(account: &str, what: &str) -> String {
    format!("/v2/sandbox/worlds/{account}/{what}?")
}

/// Creates a world of the demo client. Returns the answer, and a client with the world's key.
#[expect(clippy::needless_pass_by_value, reason = "callers hand in what they have just created")]
pub(crate) fn create_world(server: &Server, body: Value) -> (Value, Client) {
    create_world_as(server, &server.client(), &body)
}

/// Creates a world of the client that a caller's key belongs to. Returns the answer, and a client with the world's key.
pub(crate) fn create_world_as(server: &Server, caller: &Client, body: &Value) -> (Value, Client) {
    let created = expect_json(&caller.post(WORLDS, body.to_string()), 201);
    let client = server.client_of(text(&created, "/apiKey"), text(&created, "/accountId"));
    (created, client)
}

/// Creates a world without data.
pub(crate) fn empty_world(server: &Server) -> Client {
    create_world(server, json!({"template": "empty"})).1
}

/// Creates a world whose clock is frozen at noon on 1 September 2026.
pub(crate) fn frozen_world(server: &Server) -> Client {
    create_world(server, json!({"startsAt": "2026-09-01T12:00:00Z"})).1
}

/// Changes the clock of an account, expects success, and returns the new time.
#[expect(clippy::needless_pass_by_value, reason = "callers hand in what they have just created")]
pub(crate) fn set_clock(client: &Client, body: Value) -> String {
    let clock = expect_json(&client.post(CLOCK, body.to_string()), 200);
    text(&clock, "/now").to_owned()
}

/// Returns the clock of an account, as the API shows it.
pub(crate) fn clock(client: &Client) -> Value {
    expect_json(&client.get(CLOCK), 200)
}

/// Takes a snapshot and returns its id.
pub(crate) fn snapshot(client: &Client) -> String {
    let path = below_world(&client.account, "snapshots");
    text(&expect_json(&client.post(&path, json!({"name": "here"}).to_string()), 201), "/id").to_owned()
}

/// Restores a world.
pub(crate) fn restore(client: &Client, snapshot: &str) -> Value {
    let path = below_world(&client.account, "restore");
    expect_json(&client.post(&path, json!({"snapshotId": snapshot}).to_string()), 200)
}
