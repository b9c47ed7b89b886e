//! Operations that change settings, cards and budgets, and move money between budgets.

use serde_json::{Value, json};

use super::limits::{Terms, Window};
use super::model::{BoxRow, CardState, Lives, Outcome};
use super::money::Currency;
use super::perform::result_of;
use super::run::Run;
use super::steps::Step;
use crate::support::CREDIT;
use crate::support::assert::text;
use crate::support::management::{BUDGETS, CARDS};
use crate::support::wallet::credit_body;

impl Run {
    /// Performs a credit or a transfer.
    pub(super) fn move_money(&mut self, step: &Step) -> String {
        match *step {
            Step::Credit { budget, currency, amount } => self.credit(budget, currency, amount),
            Step::Transfer { from, to, currency, amount } => self.transfer(from, to, currency, amount),
            _ => unreachable!(),
        }
    }

    /// Adds an amount to a budget of the model, and the row of the credit or of the side of a transfer.
    fn add_box_row(&mut self, kind: &'static str, budget: usize, currency: Currency, amount: i64) {
        let number = i64::try_from(self.model.boxes.len()).unwrap() + 1;
        let at = self.model.now;
        self.model.boxes.push(BoxRow { kind, budget, currency, amount: amount.abs(), at });
        let funds = self.model.budgets[budget].funds.get_mut(&currency).unwrap();
        funds.ledger += amount;
        funds.available += amount;
        funds.last = Some(number);
    }

    fn credit(&mut self, budget: usize, currency: Currency, amount: i64) -> String {
        let outcome = match () {
            () if amount == 0 => Outcome::Refused(400, "out_of_range", "body.settlementPriceAmount"),
            () if !self.model.budgets[budget].funds.contains_key(&currency) => {
                Outcome::Refused(400, "invalid_value", "body.settlementPriceCurrency")
            }
            () => {
                self.add_box_row("deposit", budget, currency, amount);
                self.boxes.push(None);
                Outcome::Done(200)
            }
        };
        let body = credit_body(&self.budgets[budget], &currency.format(amount), currency.code());
        let body: Value = serde_json::from_str(&body).unwrap();
        if let Some(found) = self.write("POST", CREDIT, &body, &outcome) {
            let funds = self.model.funds(budget, currency);
            assert_eq!(found["boxTransactionId"], json!(self.model.boxes.len()), "{found}");
            let shown = ["runningBalance", "availableBalance"].map(|name| currency.read(&found["balance"][name]));
            assert_eq!(shown, [funds.ledger, funds.available], "{found}");
        }
        result_of(&outcome)
    }

    fn transfer(&mut self, from: usize, to: usize, currency: Currency, amount: i64) -> String {
        let holds = |budget: usize| self.model.budgets[budget].funds.contains_key(&currency);
        let outcome = match () {
            () if amount == 0 => Outcome::Refused(400, "out_of_range", "body.amount"),
            () if from == to => Outcome::Refused(400, "invalid_value", "body.destinationBudgetId"),
            () if !holds(from) || !holds(to) => Outcome::Refused(400, "invalid_value", "body.currency"),
            () if amount > self.model.funds(from, currency).available => {
                Outcome::Refused(409, "insufficient_funds", "body.amount")
            }
            () => {
                self.add_box_row("unload", from, currency, -amount);
                self.add_box_row("load", to, currency, amount);
                Outcome::Done(200)
            }
        };
        let body = json!({
            "destinationBudgetId": self.budgets[to], "currency": currency.code(), "amount": currency.format(amount),
        });
        let path = format!("{BUDGETS}/{}/transfer", self.budgets[from]);
        if let Some(found) = self.write("POST", &path, &body, &outcome) {
            let number = self.model.boxes.len();
            assert_eq!(found["debitBoxTransactionId"], json!(number - 1), "{found}");
            assert_eq!(found["creditBoxTransactionId"], json!(number), "{found}");
            self.boxes.extend([Some(text(&found, "/transfer/id").to_owned()), None]);
        }
        result_of(&outcome)
    }

    /// Performs a change of a setting, a card or a budget.
    pub(super) fn manage(&mut self, step: &Step) -> String {
        match step {
            Step::ChangeState(card, state) => return self.change_state(*card, *state),
            Step::Replace(card) => return self.replace_card(*card),
            Step::NewCard { budget, currency, days } => self.new_card(*budget, *currency, *days),
            Step::SetLimit(card, window, terms) => self.set_limit(*card, *window, terms),
            Step::RemoveLimit(card, window) => return self.remove_limit(*card, *window),
            Step::CardControls(card, controls) => {
                self.model.cards[*card].controls = controls.clone();
                let path = format!("{CARDS}/{}/controls", self.cards[*card]);
                self.write("PUT", &path, &controls.body(), &Outcome::Done(200));
            }
            Step::BudgetControls(budget, controls) => {
                self.model.budgets[*budget].controls = controls.clone();
                let path = format!("{BUDGETS}/{}/controls", self.budgets[*budget]);
                self.write("PUT", &path, &controls.body(), &Outcome::Done(200));
            }
            Step::Pin(card, pin) => {
                self.model.cards[*card].pin = Some(*pin);
                let path = format!("{CARDS}/{}/pin", self.cards[*card]);
                self.write("PUT", &path, &json!({"pin": format!("{pin:04}")}), &Outcome::Done(204));
            }
            Step::Person { is_active } => {
                self.model.is_person_active = *is_active;
                let status = if *is_active { "active" } else { "inactive" };
                let path = format!("/v2/people/{}", self.person);
                self.write("PATCH", &path, &json!({"status": status}), &Outcome::Done(200));
            }
            Step::HoldLife(lives) => {
                self.write("PUT", "/v2/sandbox/hold-life", &life_body(lives), &Outcome::Done(200));
                self.model.lives = lives.clone();
            }
            Step::OverClearing { is_network } => {
                self.model.is_network = *is_network;
                let body = json!({"overClearing": if *is_network { "NETWORK" } else { "ACCEPT" }});
                self.write("PUT", "/v2/sandbox/over-clearing", &body, &Outcome::Done(200));
            }
            other => panic!("not a change: {other:?}"),
        }
        "done".into()
    }

    fn change_state(&mut self, card: usize, state: CardState) -> String {
        let outcome = if self.model.cards[card].state.can_become(state) {
            self.model.cards[card].state = state;
            Outcome::Done(200)
        } else {
            Outcome::Refused(409, "invalid_state", "body.state")
        };
        let path = format!("{CARDS}/{}/transition", self.cards[card]);
        if let Some(found) = self.write("POST", &path, &json!({"state": state.name()}), &outcome) {
            assert_eq!(found["state"], state.name(), "{found}");
        }
        result_of(&outcome)
    }

    fn replace_card(&mut self, card: usize) -> String {
        let path = format!("{CARDS}/{}/replace", self.cards[card]);
        if !matches!(self.model.cards[card].state, CardState::Active | CardState::Suspended) {
            let outcome = Outcome::Refused(409, "invalid_state", "path.cardId");
            self.write("POST", &path, &json!({}), &outcome);
            return result_of(&outcome);
        }
        let new = self.model.replace(card);
        let found = self.write("POST", &path, &json!({}), &Outcome::Done(201)).unwrap();
        assert_eq!(found["state"], "UNACTIVATED", "{found}");
        self.store_card(text(&found, "/id"));
        self.learn_limits(new);
        "done".into()
    }

    fn set_limit(&mut self, card: usize, window: Window, terms: &Terms) {
        self.model.set_limit(card, window, *terms);
        let currency = self.model.cards[card].currency;
        let body = json!({
            "limitWindow": window.name(), "amount": currency.number(terms.amount), "usageLimit": terms.usage,
            "active": terms.active, "limitTurnedOff": terms.off,
        });
        let path = format!("{CARDS}/{}/{}", self.cards[card], collection(window));
        let found = self.write("POST", &path, &body, &Outcome::Done(200)).unwrap();
        let limit = self.model.cards[card].limits.iter().find(|limit| limit.window == window).unwrap().clone();
        let known = self.limits.entry(limit.id).or_insert_with(|| text(&found, "/id").to_owned());
        assert_eq!(text(&found, "/id"), known, "{found}");
        self.limit_agrees(&limit, currency, &found);
    }

    fn remove_limit(&mut self, card: usize, window: Window) -> String {
        let limits = &mut self.model.cards[card].limits;
        let removed = limits.iter().position(|limit| limit.window == window).map(|place| limits.remove(place));
        let (id, outcome) = match &removed {
            Some(limit) => (self.limits[&limit.id].as_str(), Outcome::Done(204)),
            None => (crate::support::ABSENT, Outcome::Refused(404, "not_found", "path.limitId")),
        };
        let path = format!("{CARDS}/{}/{}/{id}", self.cards[card], collection(window));
        self.write("DELETE", &path, &Value::Null, &outcome);
        result_of(&outcome)
    }
}

/// Returns the last segment of the path of limits.
pub(super) const fn collection(window: Window) -> &'static str {
    if matches!(window, Window::Transaction) { "transaction-limits" } else { "spending-limits" }
}

fn life_body(lives: &Lives) -> Value {
    let rules = lives.rules.iter().map(|rule| {
        let mut body = json!({"life": rule.life.0});
        if let Some(mcc) = rule.mcc {
            body["mcc"] = json!(mcc);
        }
        if let Some(message) = rule.message {
            body["message"] = json!(message);
        }
        body
    });
    let rules: Vec<_> = rules.collect();
    lives.default.map_or_else(|| json!({"rules": rules}), |life| json!({"default": life.0, "rules": rules}))
}
