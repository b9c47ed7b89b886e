//! The demo data set, as `florin demo --json` prints it.

use std::sync::OnceLock;

use serde_json::Value;

use super::server::Workspace;
use super::store;

/// The output of `florin demo`.
pub(crate) struct Demo {
    /// The complete output, for tests of its shape.
    pub(crate) json: Value,
    pub(crate) account: String,
    pub(crate) api_key: String,
    pub(crate) other_account: String,
    pub(crate) other_key: String,
    /// A key of the demo client without scopes.
    pub(crate) limited_key: String,
    pub(crate) totp_secret: String,
    pub(crate) cards: Vec<Card>,
}

/// A card of the demo account.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) budget: String,
    pub(crate) currency: String,
    pub(crate) state: String,
    pub(crate) expired: bool,
}

impl Demo {
    fn read(json: Value) -> Self {
        let cards = json["cards"].as_array().unwrap().iter().map(card).collect();
        Self {
            account: text(&json, "/accountId"),
            api_key: text(&json, "/apiKey"),
            other_account: text(&json, "/other/accountId"),
            other_key: text(&json, "/other/apiKey"),
            limited_key: text(&json, "/limitedApiKey"),
            totp_secret: text(&json, "/mfa/secret"),
            cards,
            json,
        }
    }

    /// Returns the usable cards in a currency.
    pub(crate) fn active_cards(&self, currency: &str) -> impl Iterator<Item = &Card> {
        self.cards.iter().filter(move |card| card.currency == currency && card.state == "ACTIVE" && !card.expired)
    }

    /// Returns the first usable card in a currency.
    pub(crate) fn active_card(&self, currency: &str) -> &Card {
        self.active_cards(currency).next().unwrap_or_else(|| panic!("no usable {currency} card in the demo data"))
    }

    /// Returns a card in a state, not past its expiry date.
    pub(crate) fn card_in(&self, state: &str) -> &Card {
        self.cards
            .iter()
            .find(|card| card.state == state && !card.expired)
            .unwrap_or_else(|| panic!("no {state} card in the demo data"))
    }

    /// Returns the ACTIVE card past its expiry date.
    pub(crate) fn expired_card(&self) -> &Card {
        self.cards.iter().find(|card| card.state == "ACTIVE" && card.expired).expect("no expired card in the demo data")
    }

    /// Returns the budget of a currency.
    pub(crate) fn budget(&self, currency: &str) -> String {
        let budgets = self.json["budgets"].as_array().unwrap();
        let budget = budgets.iter().find(|budget| budget["currencyCode"] == currency);
        text(budget.unwrap_or_else(|| panic!("no {currency} budget in the demo data")), "/id")
    }

    /// Returns the ids of the batches in a status.
    pub(crate) fn batches(&self, status: &str) -> Vec<String> {
        let all = self.json["paymentBatches"].as_array().unwrap();
        let ids: Vec<_> =
            all.iter().filter(|batch| batch["status"] == status).map(|batch| text(batch, "/id")).collect();
        assert!(!ids.is_empty(), "no {status} batch in the demo data");
        ids
    }

    /// Returns the first batch in a status.
    pub(crate) fn batch(&self, status: &str) -> String {
        self.batches(status).swap_remove(0)
    }

    pub(crate) fn postcodes(&self) -> Vec<String> {
        let all = self.json["postcodes"].as_array().unwrap();
        all.iter().map(|postcode| postcode.as_str().unwrap().to_owned()).collect()
    }
}

fn card(json: &Value) -> Card {
    Card {
        id: text(json, "/id"),
        budget: text(json, "/budgetId"),
        currency: text(json, "/currencyCode"),
        state: text(json, "/state"),
        expired: json.get("expired") == Some(&Value::Bool(true)),
    }
}

fn text(json: &Value, pointer: &str) -> String {
    let found = json.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} of {json}")).to_owned()
}

/// A database with the demo data, to copy from.
pub(crate) struct Template {
    pub(crate) store: store::Template,
    demo: Demo,
}

pub(crate) fn template() -> &'static Template {
    static TEMPLATE: OnceLock<Template> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let workspace = Workspace::empty();
        let demo = Demo::read(workspace.json(&["demo", "--json"]));
        Template { store: workspace.into_template(), demo }
    })
}

/// Returns the demo data. Ids and keys are the same in every workspace created by [`Workspace::demo`].
pub(crate) fn demo() -> &'static Demo {
    &template().demo
}
