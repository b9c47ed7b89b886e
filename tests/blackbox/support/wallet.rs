//! A card whose budget has a known balance, and the messages that act on it.

use serde_json::Value;

use super::assert::{expect_json, text};
use super::client::{Answer, Client};
use super::demo::{Card, demo};
use super::money::{format_amount, parse_amount};
use super::server::Server;
use super::{AUTHORIZATION, CLEARING, CREDIT};

/// The balance of a budget, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    pub(crate) ledger: i64,
    pub(crate) available: i64,
}

/// A card on a server that no other test uses.
#[derive(Clone)]
pub(crate) struct Wallet {
    pub(crate) client: Client,
    pub(crate) card: Card,
    /// The amount that the demo data reserves: ledger minus available balance, before the test holds anything.
    pub(crate) reserved: i64,
}

impl Wallet {
    /// Returns a card whose budget has exactly this available balance, in minor units, and no hold of the test.
    pub(crate) fn with(server: &Server, currency: &str, available: i64) -> Self {
        for card in demo().active_cards(currency) {
            let mut wallet = Self { client: server.client(), card: card.clone(), reserved: 0 };
            if wallet.bring_to(available) {
                let balance = wallet.balance();
                wallet.reserved = balance.ledger - balance.available;
                return wallet;
            }
        }
        panic!("no {currency} card could be brought to {available}");
    }

    /// Starts a server with a card that has 250.00 available, and authorizes 10.00. Returns the server, the card, and
    /// the token of the authorization.
    pub(crate) fn with_hold() -> (Server, Self, String) {
        let server = Server::sandbox();
        let wallet = Self::with(&server, "GBP", 25_000);
        let token = wallet.token(AUTHORIZATION, "10");
        (server, wallet, token)
    }

    /// Brings the available balance to `target`, by a credit or a cleared authorization. Returns `false` if the
    /// authorization is declined.
    fn bring_to(&self, target: i64) -> bool {
        let balance = self.balance();
        if balance.available > target {
            let amount = self.format_amount(balance.available - target);
            let hold = self.authorize(&amount);
            if text(&hold, "/state") == "DECLINED" {
                return false;
            }
            let cleared = self.follow(CLEARING, text(&hold, "/token"), &amount);
            expect_json(&cleared, 201);
        } else if balance.available < target {
            self.credit(&self.format_amount(target - balance.available));
        }
        assert_eq!(self.balance().available, target);
        true
    }

    pub(crate) fn format_amount(&self, minor: i64) -> String {
        format_amount(minor, &self.card.currency)
    }

    /// Formats the ledger balance: this amount plus the reserved amount.
    pub(crate) fn format_ledger(&self, minor: i64) -> String {
        self.format_amount(minor + self.reserved)
    }

    /// Reads the balance by an account check, which holds nothing.
    pub(crate) fn balance(&self) -> Balance {
        let transaction = self.authorize("0");
        assert_eq!(text(&transaction, "/response/code"), "1830", "{transaction}");
        self.balance_in(&transaction)
    }

    /// Returns the balance that a transaction shows.
    pub(crate) fn balance_in(&self, transaction: &Value) -> Balance {
        Balance {
            ledger: parse_amount(text(transaction, "/gpa/ledgerBalance"), &self.card.currency),
            available: parse_amount(text(transaction, "/gpa/availableBalance"), &self.card.currency),
        }
    }

    /// Returns the body of a first message, as the guides show it.
    pub(crate) fn first_body(&self, amount: &str) -> String {
        first_body(&self.card.id, amount)
    }

    /// Sends an authorization, which may be declined.
    pub(crate) fn authorize(&self, amount: &str) -> Value {
        self.first(AUTHORIZATION, amount)
    }

    /// Sends any first message.
    pub(crate) fn first(&self, path: &str, amount: &str) -> Value {
        transaction(&self.client.post(path, self.first_body(amount)))
    }

    /// Sends a first message that must be approved, and returns its token.
    pub(crate) fn token(&self, path: &str, amount: &str) -> String {
        let transaction = self.first(path, amount);
        assert_eq!(text(&transaction, "/response/code"), "0000", "{transaction}");
        text(&transaction, "/token").to_owned()
    }

    /// Sends a follow-up to the message with a token.
    pub(crate) fn follow(&self, path: &str, token: &str, amount: &str) -> Answer {
        self.client.post(path, follow_body(token, amount))
    }

    /// Sends a follow-up that must be accepted.
    pub(crate) fn follow_ok(&self, path: &str, token: &str, amount: &str) -> Value {
        transaction(&self.follow(path, token, amount))
    }

    /// Adds funds with a simulated credit.
    pub(crate) fn credit(&self, amount: &str) -> Value {
        let body = credit_body(&self.card.budget, amount, &self.card.currency);
        expect_json(&self.client.post(CREDIT, body), 200)
    }
}

/// Sends an authorization of the first demo card in pounds, and returns the transaction.
pub(crate) fn pay(client: &Client, amount: &str) -> Value {
    transaction(&client.post(AUTHORIZATION, first_body(&demo().active_card("GBP").id, amount)))
}

/// Returns the available balance of the first demo card in pounds, as an account check shows it.
pub(crate) fn available(client: &Client) -> String {
    text(&pay(client, "0"), "/gpa/availableBalance").to_owned()
}

/// Expects a 201, and returns its transaction.
pub(crate) fn transaction(answer: &Answer) -> Value {
    let mut body = expect_json(answer, 201);
    assert_eq!(super::assert::members(&body), ["transaction"]);
    body["transaction"].take()
}

/// Returns the sample request of the guides, with this card and this amount.
pub(crate) fn first_body(card: &str, amount: &str) -> String {
    format!(r#"{{"cardId": "{card}", "amount": {amount}, "network": "VISA", "cardAcceptor": {{"mid": "11111"}}}}"#)
}

pub(crate) fn follow_body(token: &str, amount: &str) -> String {
    format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": {amount}}}"#)
}

/// Returns the body of a credit with only the required members.
pub(crate) fn credit_body(budget: &str, amount: &str, currency: &str) -> String {
    format!(
        r#"{{"budgetId": "{budget}", "settlementPriceAmount": "{amount}",
            "settlementPriceCurrency": "{currency}", "remittersName": "Ada Remitter",
            "remittersAddress": "1 High Street, London", "beneficiaryName": "Bob Beneficiary",
            "schemeName": "FasterPayment"}}"#
    )
}
