//! A card with controls, a PIN, and settings of its account.

use serde_json::{Value, json};

use super::assert::{expect_json, text};
use super::client::{Answer, Client};
use super::management::{BUDGETS, CARDS, card, funded, with};
use super::wallet::{first_body, transaction};
use super::{ATM, AUTHORIZATION};

/// An active card with a PIN and a control, on a budget with another control.
pub(crate) struct ProtectedCard {
    id: String,
    budget: String,
}

impl ProtectedCard {
    /// Creates the card, its budget with 100.00, the controls, the PIN and the settings.
    pub(crate) fn create(client: &Client) -> Self {
        let budget = funded(client, "Protected", "100.00");
        let protected = Self { id: card(client, &budget), budget };
        for (path, controls) in protected.controls() {
            expect_json(&client.put(&path, controls.to_string()), 200);
        }
        for (path, setting) in Self::settings() {
            expect_json(&client.put(path, setting.to_string()), 200);
        }
        assert_eq!(protected.set_pin(client, "0427").status, 204);
        protected.expect_protected(client);
        protected
    }

    /// Returns the controls and their paths.
    fn controls(&self) -> [(String, Value); 2] {
        let none = json!({
            "allowedMccs": null, "blockedMccs": null, "allowedCountries": null, "blockedCountries": null,
            "allowedMerchants": null, "blockedMerchants": null, "allowedEntryModes": null
        });
        let of_card = json!({"blockedMccs": ["3000-3350", "7995"], "allowedEntryModes": ["CHIP"]});
        let of_budget = json!({"blockedCountries": ["USA"], "blockedMerchants": ["käse"]});
        [
            (format!("{CARDS}/{}/controls", self.id), with(none.clone(), &of_card)),
            (format!("{BUDGETS}/{}/controls", self.budget), with(none, &of_budget)),
        ]
    }

    /// Returns the settings and their paths.
    fn settings() -> [(&'static str, Value); 2] {
        let rules = json!([
            {"mcc": "0742-0743", "message": "authorization.atm.withdrawal", "life": "P1DT1S"},
            {"mcc": null, "message": "authorization.cashback", "life": "P1DT12H"},
        ]);
        [
            ("/v2/sandbox/hold-life", json!({"default": "P8D", "rules": rules})),
            ("/v2/sandbox/over-clearing", json!({"overClearing": "NETWORK"})),
        ]
    }

    /// Sets the PIN, always with the same idempotency key.
    pub(crate) fn set_pin(&self, client: &Client, pin: &str) -> Answer {
        let call = client.call("PUT", &format!("{CARDS}/{}/pin", self.id)).header("Idempotency-Key", "PIN");
        call.json(json!({"pin": pin}).to_string()).send()
    }

    /// Removes the controls and the settings, and sets another PIN.
    pub(crate) fn change(&self, client: &Client) {
        for (path, _) in self.controls() {
            expect_json(&client.put(&path, "{}"), 200);
        }
        for (path, body) in
            Self::settings().map(|(path, _)| path).into_iter().zip(["{}", r#"{"overClearing": "ACCEPT"}"#])
        {
            expect_json(&client.put(path, body), 200);
        }
        let changed = client.put(&format!("{CARDS}/{}/pin", self.id), r#"{"pin": "9999"}"#);
        assert_eq!(changed.status, 204);
    }

    /// Expects the controls, the settings and the PIN that the card was created with.
    pub(crate) fn expect_protected(&self, client: &Client) {
        for (path, controls) in self.controls() {
            assert_eq!(expect_json(&client.get(&path), 200), controls);
        }
        for (path, setting) in Self::settings() {
            assert_eq!(expect_json(&client.get(path), 200), setting);
        }
        assert_eq!(expect_json(&client.get(&format!("{CARDS}/{}", self.id)), 200)["pinIsSet"], true);
        let code = |path, members: &Value| {
            let body = with(serde_json::from_str(&first_body(&self.id, "1")).unwrap(), members);
            let record = transaction(&client.post(path, body.to_string()));
            text(&record, "/response/code").to_owned()
        };
        assert_eq!(code(AUTHORIZATION, &json!({"pos": {"entryMode": "KEYED"}})), "1831");
        let abroad = json!({"cardAcceptor": {"mid": "11111", "countryCode": "USA"}, "pos": {"entryMode": "CHIP"}});
        assert_eq!(code(AUTHORIZATION, &abroad), "1864");
        for (pin, expected) in [("0427", "0000"), ("9999", "1809")] {
            assert_eq!(code(ATM, &json!({"pin": pin, "pos": {"entryMode": "CHIP"}})), expected, "{pin}");
        }
    }
}
