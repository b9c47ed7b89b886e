//! A card and its budget, brought to a known balance, and the messages that act on them.

use serde_json::Value;

use super::assert::{expect_json, text};
use super::client::{Answer, Client};
use super::demo::{Card, demo};
use super::money::{minor, written};
use super::server::Server;
use super::{AUTHORIZATION, CLEARING, CREDIT};

/// What a budget holds, in minor units.
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
    /// What reservations of the demo data keep from the ledger: ledger less available with no hold of ours.
    pub(crate) reserved: i64,
}

impl Wallet {
    /// A card whose budget has exactly this much available, in minor units, and no hold of ours.
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

    /// Credits or spends the difference. False when the card refuses to spend.
    fn bring_to(&self, target: i64) -> bool {
        let balance = self.balance();
        if balance.available > target {
            let amount = self.written(balance.available - target);
            let hold = self.authorize(&amount);
            if text(&hold, "/state") == "DECLINED" {
                return false;
            }
            let cleared = self.follow(CLEARING, text(&hold, "/token"), &amount);
            expect_json(&cleared, 201);
        } else if balance.available < target {
            self.credit(&self.written(target - balance.available));
        }
        assert_eq!(self.balance().available, target);
        true
    }

    pub(crate) fn written(&self, minor: i64) -> String {
        written(minor, &self.card.currency)
    }

    /// The ledger balance as written when this much is in it, on top of what is reserved.
    pub(crate) fn ledger(&self, minor: i64) -> String {
        self.written(minor + self.reserved)
    }

    /// Reads the balance by an account check, which holds nothing.
    pub(crate) fn balance(&self) -> Balance {
        let transaction = self.authorize("0");
        assert_eq!(text(&transaction, "/response/code"), "1830", "{transaction}");
        self.balance_in(&transaction)
    }

    /// The balance that a transaction shows.
    pub(crate) fn balance_in(&self, transaction: &Value) -> Balance {
        Balance {
            ledger: minor(text(transaction, "/gpa/ledgerBalance"), &self.card.currency),
            available: minor(text(transaction, "/gpa/availableBalance"), &self.card.currency),
        }
    }

    /// A first message as the guides write it.
    pub(crate) fn first_body(&self, amount: &str) -> String {
        first_body(&self.card.id, amount)
    }

    /// An authorization, approved or declined.
    pub(crate) fn authorize(&self, amount: &str) -> Value {
        self.first(AUTHORIZATION, amount)
    }

    /// Any first message.
    pub(crate) fn first(&self, path: &str, amount: &str) -> Value {
        transaction(&self.client.post(path, self.first_body(amount)))
    }

    /// A first message that must be approved, and its token.
    pub(crate) fn token(&self, path: &str, amount: &str) -> String {
        let transaction = self.first(path, amount);
        assert_eq!(text(&transaction, "/response/code"), "0000", "{transaction}");
        text(&transaction, "/token").to_owned()
    }

    /// A follow-up on the chain that a token names.
    pub(crate) fn follow(&self, path: &str, token: &str, amount: &str) -> Answer {
        self.client.post(path, follow_body(token, amount))
    }

    /// A follow-up that must be taken.
    pub(crate) fn followed(&self, path: &str, token: &str, amount: &str) -> Value {
        transaction(&self.follow(path, token, amount))
    }

    /// Adds mock funds.
    pub(crate) fn credit(&self, amount: &str) -> Value {
        let body = credit_body(&self.card.budget, amount, &self.card.currency);
        expect_json(&self.client.post(CREDIT, body), 200)
    }
}

/// The transaction of a 201.
pub(crate) fn transaction(answer: &Answer) -> Value {
    let mut body = expect_json(answer, 201);
    assert_eq!(super::assert::members(&body), ["transaction"]);
    body["transaction"].take()
}

/// The sample request that integrators copy, with ids exchanged.
pub(crate) fn first_body(card: &str, amount: &str) -> String {
    format!(r#"{{"cardId": "{card}", "amount": {amount}, "network": "VISA", "cardAcceptor": {{"mid": "11111"}}}}"#)
}

pub(crate) fn follow_body(token: &str, amount: &str) -> String {
    format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": {amount}}}"#)
}

/// A credit with the required members only.
pub(crate) fn credit_body(budget: &str, amount: &str, currency: &str) -> String {
    format!(
        r#"{{"budgetId": "{budget}", "settlementPriceAmount": "{amount}",
            "settlementPriceCurrency": "{currency}", "remittersName": "Ada Remitter",
            "remittersAddress": "1 High Street, London", "beneficiaryName": "Bob Beneficiary",
            "schemeName": "FasterPayment"}}"#
    )
}
