//! Simulated credits and card messages as a client of the original service sends them. The answers have the members
//! that its documentation lists.

use serde_json::{Map, Value, json};

use crate::support::assert::{Member, is_time, is_uuid, members, text};
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, CREDIT, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet,
    expect_json,
};

/// The members of a simulated card transaction. A follow-up also has `precedingRelatedTransactionToken`.
const TRANSACTION: &[Member] = &[
    ("acquirerFeeAmount", is_decimal),
    ("type", Value::is_string),
    ("state", |value| ["PENDING", "CLEARED", "DECLINED", "COMPLETION"].iter().any(|state| value == state)),
    ("token", is_uuid),
    ("userToken", is_uuid),
    ("cardToken", is_uuid),
    ("requestAmount", is_decimal),
    ("response", |value| has(value, RESPONSE)),
    ("createdTime", is_time),
    ("userTransactionTime", is_time),
    ("settlementDate", is_time),
    ("amount", is_decimal),
    ("gpa", |value| has(value, GPA)),
    ("currencyCode", |value| value == "GBP"),
    ("currencyConversion", |value| has(value, CONVERSION)),
    ("network", |value| value == "VISA"),
    ("subnetwork", |value| value == "VISANET" || value == "VISAPLUS"),
    ("cardAcceptor", |value| has(value, ACCEPTOR)),
];

const RESPONSE: &[Member] = &[("code", |value| value == "0000"), ("memo", Value::is_string)];

const GPA: &[Member] =
    &[("ledgerBalance", is_decimal), ("availableBalance", is_decimal), ("impactedAmount", is_decimal)];

const CONVERSION: &[Member] = &[
    ("originalAmount", is_decimal),
    ("conversionRate", |value| value == 1),
    ("originalCurrencyCode", |value| value == "826"),
];

const ACCEPTOR: &[Member] = &[
    ("postalCode", Value::is_string),
    ("mid", |value| value == "000000000011111"),
    ("mcc", Value::is_string),
    ("name", Value::is_string),
    ("city", Value::is_string),
    ("state", Value::is_string),
    ("countryCode", Value::is_string),
];

fn is_decimal(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.split_once('.').is_some_and(|(_, cents)| cents.len() == 2))
}

/// Whether a value has exactly these members, each with a value of its kind.
fn has(value: &Value, members: &[Member]) -> bool {
    let object: &Map<String, Value> = value.as_object().unwrap();
    object.len() == members.len() && members.iter().all(|(name, is_right)| object.get(*name).is_some_and(is_right))
}

/// Expects the documented members and no others.
fn assert_transaction(record: &Value, preceding: Option<&str>) {
    for (name, is_right) in TRANSACTION {
        assert!(record.get(*name).is_some_and(is_right), "{name} of {record}");
    }
    let token = record.get("precedingRelatedTransactionToken").map(|token| token.as_str().unwrap());
    assert_eq!(token, preceding, "{record}");
    let count = TRANSACTION.len() + usize::from(preceding.is_some());
    assert_eq!(record.as_object().unwrap().len(), count, "{record}");
}

#[test]
fn a_credit_is_simulated_as_documented() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 10_000);
    let body = format!(
        r#"{{
            "budgetId": "{}",
            "settlementPriceAmount": "100.00",
            "settlementPriceCurrency": "GBP",
            "remittersName": "Ada Remitter",
            "remittersAddress": "1 High Street, London",
            "beneficiaryName": "Bob Beneficiary",
            "schemeName": "FasterPayment",
            "reference": "INV-1",
            "bankIdentifier": "089999",
            "accountIdentifier": "66374958",
            "orderId": "O-1",
            "thirdPartyReference": "T-1",
            "institutionName": "A bank",
            "institutionAddress": "2 High Street, London"
        }}"#,
        wallet.card.budget
    );
    let credited = expect_json(&wallet.client.post(CREDIT, body), 200);
    assert_eq!(members(&credited), ["balance", "boxTransactionId"]);
    assert!(credited["boxTransactionId"].is_i64());
    let running = wallet.format_ledger(20_000);
    assert_eq!(credited["balance"], json!({"runningBalance": running, "availableBalance": "200.00"}));
}

#[test]
fn messages_are_simulated_as_documented() {
    let server = Server::sandbox();
    for (first, follow_up, kind) in [
        (AUTHORIZATION, ADVICE, "authorization.advice"),
        (AUTHORIZATION, CLEARING, "authorization.clearing"),
        (AUTHORIZATION, REVERSAL, "authorization.reversal"),
        (REFUND, REFUND_CLEARING, "refund.authorization.clearing"),
        (ATM, ATM_CLEARING, "authorization.clearing.atm.withdrawal"),
    ] {
        let wallet = Wallet::with(&server, "GBP", 25_000);
        let sent = format!(
            r#"{{
                "cardId": "{}",
                "amount": 10,
                "network": "VISA",
                "cardAcceptor": {{
                    "mid": "11111"
                }}
            }}"#,
            wallet.card.id
        );
        let held = expect_json(&wallet.client.post(first, sent), 201);
        assert_eq!(members(&held), ["transaction"]);
        let held = &held["transaction"];
        assert_transaction(held, None);
        assert_eq!(text(held, "/cardToken"), wallet.card.id);
        let token = text(held, "/token");
        let follow = format!(
            r#"{{
                "precedingRelatedTransactionToken": "{token}",
                "amount": 10
            }}"#
        );
        let followed = expect_json(&wallet.client.post(follow_up, follow), 201);
        assert_eq!(members(&followed), ["transaction"]);
        assert_transaction(&followed["transaction"], Some(token));
        assert_eq!(text(&followed, "/transaction/type"), kind);
    }
}
