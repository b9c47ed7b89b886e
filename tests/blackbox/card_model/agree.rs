//! Compares the responses of the server with the model.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::chain::{Chain, Kind, State};
use super::disputes::Status;
use super::limits::{Limit, Window};
use super::manage::collection;
use super::money::Currency;
use super::run::Run;
use crate::support::assert::{expect_json, text, time};
use crate::support::chain_path;
use crate::support::client::Client;
use crate::support::management::{BUDGETS, CARDS};

fn get(client: &Client, path: &str) -> Value {
    expect_json(&client.get(path), 200)
}

impl Run {
    /// Compares the balances of every budget.
    pub(super) fn balances_agree(&self) {
        let path = format!("{BUDGETS}?accountId={}&include=balance&limit=1000", self.client.account);
        let found = get(&self.client, &path);
        let rows = found["rows"].as_array().unwrap();
        assert_eq!(rows.len(), self.budgets.len(), "{found}");
        for (number, id) in self.budgets.iter().enumerate() {
            let row = rows.iter().find(|row| text(row, "/id") == id).unwrap();
            self.rows_of_balances_agree(number, row);
        }
    }

    /// Compares the balances of one budget.
    pub(super) fn balance_agrees(&self, number: usize) {
        let path = format!("{BUDGETS}/{}?accountId={}&include=balance", self.budgets[number], self.client.account);
        let found = get(&self.client, &path);
        self.rows_of_balances_agree(number, &found);
    }

    fn rows_of_balances_agree(&self, number: usize, record: &Value) {
        let rows = record["balance"].as_array().unwrap();
        for currency in self.model.budgets[number].funds.keys() {
            assert!(rows.iter().any(|row| row["currencyCode"] == currency.code()), "{} in {record}", currency.code());
        }
        for balance in rows {
            self.row_of_balance_agrees(number, balance);
        }
    }

    fn row_of_balance_agrees(&self, number: usize, balance: &Value) {
        let budget = &self.model.budgets[number];
        let code = text(balance, "/currencyCode");
        let Some(currency) = Currency::HELD.into_iter().find(|currency| currency.code() == code) else {
            assert_eq!(balance["ledgerBalance"].to_string().trim_matches(['0', '.']), "", "{balance}");
            return;
        };
        let funds = budget.funds[&currency];
        let below: i64 = (0..self.budgets.len())
            .filter(|other| self.is_below(*other, number))
            .filter_map(|other| self.model.budgets[other].funds.get(&currency))
            .map(|funds| funds.ledger)
            .sum();
        let expected = [
            ("ledgerBalance", funds.ledger),
            ("availableBalance", funds.available),
            ("pendingBalance", funds.ledger - funds.available),
            ("allocatedBalance", below),
            ("ledgerAndAllocatedBalance", funds.ledger + below),
        ];
        let found = expected.map(|(name, _)| (name, currency.read(&balance[name])));
        assert_eq!(found, expected, "{code} of budget {number}");
        assert_eq!(balance["lastUpdatedSequentialId"], json!(funds.last), "{balance}");
    }

    fn is_below(&self, budget: usize, other: usize) -> bool {
        self.model.budgets[budget].parent.is_some_and(|parent| parent == other || self.is_below(parent, other))
    }

    fn limit_rows(&self, card: usize, is_asked: impl Fn(&str) -> bool) -> Vec<Value> {
        let kinds = [collection(Window::Transaction), collection(Window::Day)];
        let asked = kinds.into_iter().filter(|kind| is_asked(kind));
        let found = asked.map(|kind| get(&self.client, &format!("{CARDS}/{}/{kind}", self.cards[card])));
        found.flat_map(|found| found["rows"].as_array().unwrap().clone()).collect()
    }

    /// Compares the limits of a card, unless it has none.
    pub(super) fn limits_agree(&self, card: usize) {
        let (limits, currency) = (&self.model.cards[card].limits, self.model.cards[card].currency);
        if limits.is_empty() {
            return;
        }
        let rows = self.limit_rows(card, |kind| limits.iter().any(|limit| collection(limit.window) == kind));
        assert_eq!(rows.len(), limits.len(), "{rows:?}");
        for limit in limits {
            let row = rows.iter().find(|row| row["limitWindow"] == limit.window.name()).unwrap();
            assert_eq!(text(row, "/id"), self.limits[&limit.id], "{row}");
            self.limit_agrees(limit, currency, row);
        }
    }

    /// Compares one limit, and the remainder that it shows.
    pub(super) fn limit_agrees(&self, limit: &Limit, currency: Currency, row: &Value) {
        let (terms, (spent, uses)) = (limit.terms, limit.used(self.model.now));
        let left = if terms.usage < 0 { -1 } else { (terms.usage - uses).max(0) };
        let days = limit.window.days_remaining(self.model.now);
        let available = (left, (terms.amount - spent).max(0), days);
        let found = (
            row["available"]["uses"].as_i64().unwrap(),
            currency.read(&row["available"]["amount"]),
            row["available"]["daysRemaining"].as_i64(),
        );
        assert_eq!(found, available, "uses, amount and days that are left of {limit:?}: {row}");
        let maxima = (currency.read(&row["amount"]), row["usageLimit"].as_i64().unwrap());
        assert_eq!(maxima, (terms.amount, terms.usage), "{row}");
        assert_eq!((&row["active"], &row["limitTurnedOff"]), (&json!(terms.active), &json!(terms.off)), "{row}");
    }

    /// Reads the ids of the limits that a replacement has copied.
    pub(super) fn learn_limits(&mut self, card: usize) {
        for row in self.limit_rows(card, |_| true) {
            let limits = &self.model.cards[card].limits;
            let limit = limits.iter().find(|limit| row["limitWindow"] == limit.window.name()).unwrap();
            self.limits.insert(limit.id, text(&row, "/id").to_owned());
        }
        self.limits_agree(card);
    }

    /// Compares all balances, limits, cards, disputes and activity, and one chain in 16. Asks for the invariants.
    pub(super) fn agree_at_the_end(&self) {
        self.balances_agree();
        self.holds_agree();
        for (number, id) in self.cards.iter().enumerate() {
            let card = get(&self.client, &format!("{CARDS}/{id}"));
            assert_eq!(card["state"], self.model.cards[number].state.name(), "{card}");
            assert_eq!(self.limit_rows(number, |_| true).len(), self.model.cards[number].limits.len(), "{card}");
            self.limits_agree(number);
        }
        for (number, id) in self.disputes.iter().enumerate() {
            let found = get(&self.client, &format!("/v2/cards/simulations/disputes/{id}"));
            let dispute = &self.model.disputes[number];
            assert_eq!(found["status"], dispute.status.name(), "{found}");
            assert_eq!(found["provisionalCreditToken"].is_string(), dispute.is_credited, "{found}");
        }
        self.activity_agrees();
        for number in (0..self.model.chains.len()).filter(|number| number % 16 == 3) {
            self.chain_agrees(&self.model.chains[number]);
        }
        let books = get(&self.client, "/v2/sandbox/invariants");
        assert_eq!(books["verdict"], "holds", "{books}");
    }

    /// Compares the holds and reservations in the explanation of each balance.
    fn holds_agree(&self) {
        for (number, budget) in self.model.budgets.iter().enumerate() {
            for (currency, funds) in &budget.funds {
                let path = format!("{BUDGETS}/{}/explanation", self.budgets[number]);
                let query = format!("accountId={}&currencyCode={}&limit=1", self.client.account, currency.code());
                let found = get(&self.client, &format!("{path}?{query}"));
                let is_of_balance = |chain: &&Chain| {
                    let card = &self.model.cards[chain.card];
                    chain.is_open() && chain.held() > 0 && (card.budget, card.currency) == (number, *currency)
                };
                let holds: Vec<_> = self.model.chains.iter().filter(is_of_balance).map(Chain::held).collect();
                let names = ["ledger", "available", "held", "reserved"];
                let shown = names.map(|name| currency.read(&found["balance"][name]));
                assert_eq!(shown, [funds.ledger, funds.available, holds.iter().sum(), 0], "{found}");
                assert_eq!(
                    (&found["addsUp"], &found["openHolds"]["count"]),
                    (&json!(true), &json!(holds.len())),
                    "{found}"
                );
            }
        }
    }

    /// Compares the view of a chain.
    fn chain_agrees(&self, chain: &Chain) {
        let Some(token) = &self.tokens[chain.first] else { return };
        let found = get(&self.client, &chain_path(token));
        let first = &found["messages"][0]["transaction"];
        assert_eq!(first["state"], chain.state().name(), "{chain:?}: {found}");
        let messages =
            self.model.messages.iter().filter(|message| self.model.messages[chain.first].chain == message.chain);
        assert_eq!(found["messages"].as_array().unwrap().len(), messages.count(), "{chain:?}: {found}");
        if found["hold"].is_null() || !chain.holds() {
            return;
        }
        let currency = chain.currencies.1;
        let amounts = ["heldAmount", "clearedAmount"].map(|name| currency.read(&found["hold"][name]));
        assert_eq!(amounts, [chain.held(), chain.cleared()], "{chain:?}: {found}");
        let due = &found["hold"]["dueAt"];
        assert_eq!(due.is_null(), chain.end.is_some(), "{chain:?}: {found}");
        assert!(due.is_null() || time(due).timestamp() == chain.due, "{chain:?}: {found}");
        let ended = chain.end.map(super::chain::End::name);
        assert_eq!(found["hold"]["endedBy"], json!(ended), "{chain:?}: {found}");
    }

    /// Compares the rows of the activity.
    fn activity_agrees(&self) {
        let rows = self.rows();
        let sorted = rows.is_sorted_by_key(|row| {
            std::cmp::Reverse((text(row, "/createdAt").to_owned(), text(row, "/id").to_owned()))
        });
        assert!(sorted, "not newest first");
        let mut by_id: BTreeMap<_, _> = rows.iter().map(|row| (text(row, "/id").to_owned(), row)).collect();
        assert_eq!(rows.len(), by_id.len(), "a row is repeated");
        for chain in &self.model.chains {
            let token = self.tokens[chain.first].as_ref().unwrap();
            let row = by_id.remove(token).unwrap_or_else(|| panic!("no row of {chain:?}"));
            self.row_agrees(chain, row);
        }
        let mut numbers = Vec::new();
        for row in by_id.values() {
            let number = row["transactionBox"]["boxTransactionId"].as_i64().unwrap_or_else(|| panic!("{row}"));
            let expected = &self.model.boxes[usize::try_from(number).unwrap() - 1];
            let found = (text(row, "/type"), text(row, "/status"), expected.currency.read(&row["amount"]));
            assert_eq!(found, (expected.kind, "complete", expected.amount), "{row}");
            assert_eq!(text(row, "/budgetId"), self.budgets[expected.budget], "{row}");
            assert_eq!(time(&row["createdAt"]).timestamp(), expected.at, "{row}");
            if let Some(id) = &self.boxes[usize::try_from(number).unwrap() - 1] {
                assert_eq!(text(row, "/id"), id, "{row}");
            }
            numbers.push(number);
        }
        numbers.sort_unstable();
        let count = i64::try_from(self.model.boxes.len()).unwrap();
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "the rows of credits and transfers");
    }

    fn rows(&self) -> Vec<Value> {
        let mut rows = Vec::new();
        loop {
            let path = format!("/v2/activity/{}?limit=1000&offset={}", self.client.account, rows.len());
            let page = get(&self.client, &path);
            rows.extend(page["rows"].as_array().unwrap().clone());
            if rows.len() as u64 == page["count"].as_u64().unwrap() {
                return rows;
            }
        }
    }

    fn row_agrees(&self, chain: &Chain, row: &Value) {
        let currency = chain.currencies.1;
        let status = match (chain.kind, chain.state()) {
            (_, State::Declined) => "declined",
            (Kind::Dispute(number), _) => match self.model.disputes[number].status {
                Status::Open => "pending",
                Status::Won => "complete",
                Status::Lost => "reverted",
            },
            (Kind::Check | Kind::Inquiry, _) => "cardCheck",
            (_, State::Pending) => "pending",
            (_, State::Cleared) => "reverted",
            (kind, State::Completion) if kind.is_refund() => "refunded",
            (_, State::Completion) => "complete",
        };
        let sum = chain.held() + chain.cleared();
        let sign = if chain.kind.is_credit() { 1 } else { -1 };
        let expected =
            [("amount", if chain.is_declined { chain.requested } else { sum }), ("impactedAmount", sign * sum)];
        let found = expected.map(|(name, _)| (name, currency.read(&row[name])));
        assert_eq!(found, expected, "{chain:?}: {row}");
        let words = [text(row, "/type"), text(row, "/status"), text(row, "/budgetId"), text(row, "/currencyCode")];
        let budget = &self.budgets[self.model.cards[chain.card].budget];
        assert_eq!(words, [chain.kind.activity(), status, budget, currency.code()], "{chain:?}: {row}");
        let requested = currency.read(&row["transactionCard"]["requestedAmount"]);
        assert_eq!(requested, chain.requested, "{chain:?}: {row}");
        let times = ["createdAt", "updatedAt"].map(|name| time(&row[name]).timestamp());
        assert_eq!(times, [chain.created, chain.updated], "{chain:?}: {row}");
    }
}
