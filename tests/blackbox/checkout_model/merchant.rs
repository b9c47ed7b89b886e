//! A merchant: its account, the model of its sessions, and their ids and pages.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::model::Session;
use crate::support::assert::{text, time};
use crate::support::management::budget;
use crate::support::shop::{bank, open_shop};
use crate::support::worlds::create_world;
use crate::support::{Answer, CHECKOUTS, Client, PAYEES, Server, expect_json};

/// The public URL of the servers. Without one, the URLs of pages would contain the port, which changes with each start.
pub(super) const PUBLIC_URL: &str = "https://pay.example";

/// The id, the page and the requests of a session.
pub(super) struct SessionHandles {
    pub(super) id: String,
    /// The path of its page.
    pub(super) path: String,
    /// The path and the body that created it.
    pub(super) creation: (String, Value),
    /// A page that the payer read earlier, and its stage.
    pub(super) old_page: Option<(String, super::model::Stage)>,
    /// Ids of its refunds, and the paths of their pages.
    pub(super) refunds: Vec<(String, String)>,
}

/// A write that was answered.
pub(super) struct Write {
    pub(super) path: String,
    /// The idempotency key.
    pub(super) key: String,
    pub(super) body: String,
    pub(super) answer: Answer,
}

/// A merchant with the model of its sessions.
pub(super) struct Merchant {
    pub(super) client: Client,
    pub(super) bank: String,
    pub(super) budget: String,
    pub(super) payee: String,
    /// The checkouts: `SHOPPING`, `SHOPPING` with an address, `TOP_UP`.
    pub(super) checkouts: [String; 3],
    pub(super) started: DateTime<Utc>,
    /// Minutes since the start.
    pub(super) now: i64,
    pub(super) sessions: Vec<Session>,
    pub(super) handles: Vec<SessionHandles>,
    /// The number of writes that were sent.
    pub(super) writes: usize,
    /// The last write that succeeded, which `Retry` repeats.
    pub(super) last: Option<Write>,
    /// The number of steps that the merchant has left.
    pub(super) steps_left: usize,
}

impl Merchant {
    /// Creates a merchant for `steps_left` steps, in a separate world with a frozen clock.
    pub(super) fn open(server: &Server, steps_left: usize) -> Self {
        let start = "2026-09-01T12:00:00Z";
        let (_, client) = create_world(server, json!({"template": "empty", "startsAt": start}));
        let shopping = open_shop(&client);
        let checkout = |body: Value| {
            let mut new = json!({"name": "Shop", "currencyCode": "GBP", "returnUrl": "https://shop.example/paid"});
            new.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            text(&expect_json(&client.post(CHECKOUTS, new.to_string()), 201), "/id").to_owned()
        };
        let parcels = checkout(json!({"type": "SHOPPING", "shippingOptions": {"collectAddress": true}}));
        let top_ups = checkout(json!({"type": "TOP_UP"}));
        let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "55779903"});
        let payee = json!({"name": "Zoë", "currencyCode": "GBP", "bankDetails": details});
        let payee = expect_json(&client.post(PAYEES, payee.to_string()), 201);
        Self {
            bank: bank(&client),
            budget: budget(&client, "Float"),
            payee: text(&payee, "/id").to_owned(),
            checkouts: [shopping, parcels, top_ups],
            started: time(&json!(start)),
            now: 0,
            sessions: Vec::new(),
            handles: Vec::new(),
            writes: 0,
            last: None,
            steps_left,
            client,
        }
    }

    /// Continues on a server that was started again.
    pub(super) fn continue_on(&mut self, server: &Server) {
        self.client.address.clone_from(&server.address);
    }

    /// Sends a write under a new idempotency key. Expects success with this status, or a refusal at this path.
    pub(super) fn write(&mut self, path: &str, body: &Value, expected: Result<u16, &str>) -> Answer {
        self.writes += 1;
        let (key, body) = (format!("write-{}", self.writes), body.to_string());
        let answer = self.client.post_once(path, &key, &body);
        match expected {
            Ok(status) => {
                expect_json(&answer, status);
                assert!(!answer.replayed(), "{answer:?}");
                self.last = Some(Write { path: path.to_owned(), key, body, answer: answer.clone() });
            }
            Err(path) => {
                crate::support::expect_fault(&answer, 409, path, "invalid_state");
            }
        }
        answer
    }
}

/// Returns the path of a page's URL.
pub(super) fn page_path(url: &str) -> String {
    url.strip_prefix(PUBLIC_URL).unwrap_or_else(|| panic!("{url}")).to_owned()
}
