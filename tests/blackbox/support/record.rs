//! Checks the complete record of a simulated card transaction.

use serde_json::{Value, json};

use super::assert::{time, uuid};
use super::demo::Card;
use super::money::numeric;

/// An expected transaction. Build it with [`expected`] and change the members that differ.
#[derive(Clone)]
pub(crate) struct Expected<'a> {
    pub(crate) kind: &'a str,
    pub(crate) state: &'a str,
    pub(crate) code: &'a str,
    pub(crate) memo: &'a str,
    pub(crate) requested: &'a str,
    pub(crate) amount: &'a str,
    pub(crate) ledger: &'a str,
    pub(crate) available: &'a str,
    pub(crate) impacted: &'a str,
    pub(crate) network: &'a str,
    pub(crate) subnetwork: &'a str,
    pub(crate) preceding: Option<&'a str>,
    pub(crate) acceptor: Value,
}

/// Returns the default: an approved VISA purchase of 10.00 from a balance of 250.00.
pub(crate) fn expected<'a>(kind: &'a str, state: &'a str) -> Expected<'a> {
    Expected {
        kind,
        state,
        code: "0000",
        memo: "Approved or completed successfully",
        requested: "10.00",
        amount: "10.00",
        ledger: "250.00",
        available: "240.00",
        impacted: "-10.00",
        network: "VISA",
        subnetwork: "VISANET",
        preceding: None,
        acceptor: json!({
            "mid": "000000000011111", "mcc": "5999", "name": "Sandbox Merchant", "city": "London",
            "state": "", "postalCode": "EC1A 1BB", "countryCode": "GBR"
        }),
    }
}

/// Compares a transaction with the expected one: exactly the same members.
pub(crate) fn assert_record(actual: &Value, card: &Card, want: &Expected<'_>) {
    let zero = if card.currency == "JPY" { "0" } else { "0.00" };
    let created = time(&actual["createdTime"]);
    let day = created.format("%Y-%m-%dT00:00:00Z").to_string();
    uuid(&actual["token"]);
    uuid(&actual["userToken"]);
    let rate = &actual["currencyConversion"]["conversionRate"];
    assert!(rate.is_number() && matches!(rate.to_string().as_str(), "1" | "1.0"), "conversionRate is {rate}");
    let mut expected = json!({
        "acquirerFeeAmount": zero,
        "type": want.kind,
        "state": want.state,
        "token": actual["token"],
        "userToken": actual["userToken"],
        "cardToken": card.id,
        "requestAmount": want.requested,
        "response": {"code": want.code, "memo": want.memo},
        "createdTime": actual["createdTime"],
        "userTransactionTime": actual["createdTime"],
        "settlementDate": day,
        "amount": want.amount,
        "gpa": {
            "ledgerBalance": want.ledger,
            "availableBalance": want.available,
            "impactedAmount": want.impacted
        },
        "currencyCode": card.currency,
        "currencyConversion": {
            "originalAmount": want.amount,
            "conversionRate": rate,
            "originalCurrencyCode": numeric(&card.currency)
        },
        "network": want.network,
        "subnetwork": want.subnetwork,
        "cardAcceptor": want.acceptor
    });
    if let Some(preceding) = want.preceding {
        expected["precedingRelatedTransactionToken"] = json!(preceding);
    }
    assert_eq!(actual, &expected, "\nactual:   {actual}\nexpected: {expected}\n");
}
