//! A shop with payment pages that payers visit.

use serde_json::{Value, json};

use super::assert::text;
use super::management::with;
use super::server::Server;
use super::shop::{PAYMENTS, SESSIONS, new_session, open_shop};
use super::worlds::{create_world, set_clock};
use super::{BANKS, CHECKOUTS, Client, expect_json};

/// A merchant with every permission and a SHOPPING checkout in pounds, in a separate world.
pub(crate) struct Shop {
    pub(crate) client: Client,
    pub(crate) checkout: String,
    /// A bank that pays refunds.
    pub(crate) bank: Value,
}

impl Shop {
    /// Creates a shop in a world with a frozen clock.
    pub(crate) fn open(server: &Server) -> Self {
        Self::with_options(server, &Value::Null)
    }

    /// Creates a shop whose checkout has these `shippingOptions`.
    pub(crate) fn with_options(server: &Server, options: &Value) -> Self {
        let (_, client) = create_world(server, json!({"template": "empty", "startsAt": "2026-09-01T12:00:00Z"}));
        let checkout = open_shop(&client);
        let permissions = json!({"brandingPermissions": {"canCustomiseColours": true, "canHideServiceLogo": true}});
        expect_json(&client.call("PATCH", "/v2/sandbox/merchant").json(permissions.to_string()).send(), 200);
        let banks = expect_json(&client.get(BANKS), 200)["rows"].clone();
        let bank = banks.as_array().unwrap().iter().find(|bank| bank["supportsRefunds"] == true).unwrap().clone();
        if !options.is_null() {
            let options = json!({"shippingOptions": options}).to_string();
            expect_json(&client.call("PATCH", &format!("{CHECKOUTS}/{checkout}")).json(options).send(), 200);
        }
        Self { client, checkout, bank }
    }

    /// Creates a session of 12.50 pounds. `more` replaces or adds members of the request.
    pub(crate) fn session(&self, more: &Value) -> Value {
        let number = expect_json(&self.client.get(SESSIONS), 200)["count"].to_string();
        let body = with(new_session(&self.checkout, &number), &json!({"expiresInMinutes": 60}));
        expect_json(&self.client.post(SESSIONS, with(body, more).to_string()), 201)
    }

    /// Reads a session.
    pub(crate) fn find(&self, session: &Value) -> Value {
        expect_json(&self.client.get(&format!("{SESSIONS}/{}", text(session, "/id"))), 200)
    }

    /// Reads the status of a session.
    pub(crate) fn status(&self, session: &Value) -> String {
        text(&self.find(session), "/status").to_owned()
    }

    /// Reads the payments of a session, oldest first: each status, with the reason of a failure.
    pub(crate) fn payments(&self, session: &Value) -> Vec<String> {
        let id = text(session, "/id");
        let path =
            format!("{PAYMENTS}?accountId={}&checkoutSessionId={id}&type=PAYMENT&sort=createdAt", self.client.account);
        let found = expect_json(&self.client.get(&path), 200);
        let shown = |row: &Value| match row["failureReason"].as_str() {
            Some(reason) => format!("{} {reason}", text(row, "/status")),
            None => text(row, "/status").to_owned(),
        };
        found["rows"].as_array().unwrap().iter().map(shown).collect()
    }

    /// Advances the clock of the shop's account.
    pub(crate) fn advance_minutes(&self, minutes: u32) {
        set_clock(&self.client, json!({"advanceBy": format!("PT{minutes}M")}));
    }
}
