//! From an upload to a confirmation: validation, reservation, insufficient funds.

use serde_json::{Value, json};

use crate::support::assert::{members, text, time};
use crate::support::batches::{confirm, open_session};
use crate::support::payments::{
    below, confirmed, create, euros, filled, find, fresh_sandbox, payments, pounds, rows, upload, uploaded,
};
use crate::support::{Client, MFA_SESSIONS, Wallet, demo, expect_error, expect_fault, expect_json};

fn validate(client: &Client, batch: &str) -> Value {
    expect_json(&client.get(&below(batch, "validate")), 200)
}

fn no_issues() -> Value {
    let fine = json!({"isValid": true, "issues": []});
    json!({"isValid": true, "paymentBatchStatus": fine, "ordersBalances": fine})
}

/// Returns a payment over SWIFT, which costs 5.00.
fn swift(amount: &str) -> Value {
    let mut row = euros(amount, "swift");
    row["recipient"]["paymentNetwork"] = json!("SWIFT");
    row["recipient"]["bankIdentifier"] = json!("COBADEFFXXX");
    row["recipient"]["address"] = json!({"countryCode": "DE"});
    row
}

#[test]
fn uploaded_payments_are_reserved_with_their_fees() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "EUR", 100_000);
    let batch = filled(&client, &[euros("10", "SBX-PENDING"), swift("20.50")]);
    let list = payments(&client, &batch);
    assert_eq!((&list[0]["fees"], &list[1]["fees"]), (&json!("0.00"), &json!("5.00")));
    assert_eq!(list[0]["orderId"], list[1]["orderId"], "one order for each budget and currency");
    assert_eq!(validate(&client, &batch), no_issues());
    assert_eq!(wallet.balance().available, 100_000, "validating reserves nothing");
    confirmed(&client, &batch);
    assert_eq!(wallet.balance().available, 100_000 - 1_000 - 2_050 - 500);

    let found = find(&client, &batch);
    assert_ne!(found["status"], "validated");
    assert_eq!(found["confirmedBy"], found["createdBy"]);
    assert_eq!(time(&found["confirmedAt"]), time(&found["passedMfaCheckAt"]));
    let refused = expect_fault(&upload(&client, &batch, rows(&[])), 409, "path.paymentBatchId", "invalid_state");
    assert!(refused.message.contains(text(&found, "/status")) || refused.message.contains("started"), "{refused:?}");
    let validation = validate(&client, &batch);
    assert_eq!((&validation["isValid"], &validation["ordersBalances"]["isValid"]), (&json!(false), &json!(true)));
}

#[test]
fn only_a_validated_batch_is_valid() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    for (rows, status) in [(None, "draft"), (Some(rows(&[pounds("x", "a")])), "draft")] {
        if let Some(rows) = rows {
            assert_eq!(uploaded(&client, &batch, rows), "failed");
        }
        let found = validate(&client, &batch);
        assert_eq!(members(&found), ["isValid", "ordersBalances", "paymentBatchStatus"]);
        assert_eq!((&found["isValid"], &found["ordersBalances"]["issues"]), (&json!(false), &json!([])));
        let issue = &found["paymentBatchStatus"]["issues"][0];
        assert_eq!(members(issue), ["code", "data", "message"]);
        assert_eq!((&issue["code"], &issue["data"]), (&json!("invalid_state"), &json!({"status": status})));
        let open = client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string());
        expect_fault(&open, 409, "body.paymentBatchId", "invalid_state");
    }
    for status in ["confirmed", "started", "completed", "failed", "cancelled"] {
        let issue = &validate(&client, &demo().batch(status))["paymentBatchStatus"]["issues"][0];
        assert_eq!(issue["data"]["status"], status, "{issue}");
    }
}

#[test]
fn a_shortage_names_budget_currency_needed_and_available() {
    let (server, client) = fresh_sandbox();
    Wallet::with(&server, "EUR", 1_000);
    let batch = filled(&client, &[swift("5.01")]);
    let found = validate(&client, &batch);
    assert_eq!((&found["isValid"], &found["paymentBatchStatus"]["isValid"]), (&json!(false), &json!(true)));
    let issue = &found["ordersBalances"]["issues"][0];
    assert_eq!(issue["code"], "insufficient_funds");
    let order = payments(&client, &batch)[0]["orderId"].clone();
    let expected = json!({"orderId": order, "budgetId": demo().budget("EUR"), "currencyCode": "EUR",
        "requiredBalance": "10.01", "availableBalance": "10.00"});
    assert_eq!(issue["data"], expected);

    let session = open_session(&client, &batch);
    let faults = expect_error(&confirm(&client, &batch, &session, "000000"), 409);
    assert_eq!((faults.len(), faults[0].code.as_str(), faults[0].path.as_str()), (1, "insufficient_funds", ""));
    assert_eq!(faults[0].message, text(issue, "/message"));
    for part in [demo().budget("EUR").as_str(), "10.01 EUR", "10.00 EUR"] {
        assert!(faults[0].message.contains(part), "{part} is not in {}", faults[0].message);
    }
    assert_eq!(uploaded(&client, &batch, json!({"rows": [swift("5.00")]}).to_string()), "validated");
    assert_eq!(expect_json(&confirm(&client, &batch, &session, "000000"), 200), json!({"status": "confirmed"}));
}

/// A batch that was created with its payments is locked: it accepts no uploads.
#[test]
fn a_locked_batch_is_confirmed_like_any_other() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let payments_of = json!({"defaultFundingBudgetId": demo().budget("GBP"), "rows": [pounds("7", "SBX-PENDING")]});
    let created = client.post(crate::support::payments::BATCHES, json!({"payments": payments_of}).to_string());
    let batch = text(&expect_json(&created, 202), "/id").to_owned();
    confirmed(&client, &batch);
    assert_eq!(wallet.balance().available, 99_300);
}
