//! JSON uploads: accepted values, refused values, and every alert.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::assert::{text, time};
use crate::support::payments::{
    HEADER, alerts, create, euros, filled, find, fresh_sandbox, payments, pounds, rows, upload, upload_csv, uploaded,
};
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, Server, Workspace, demo, expect_error, expect_fault, expect_json};

#[test]
fn an_upload_replaces_the_previous_one() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let first = expect_json(&upload(&client, &batch, rows(&[pounds("1", "a"), euros("2", "b")])), 202);
    assert_eq!((&first["format"], &first["status"]), (&json!("json"), &json!("validated")));
    assert_eq!(time(&first["createdAt"]), time(&first["updatedAt"]));
    let found = find(&client, &batch);
    assert_eq!((&found["status"], &found["input"]), (&json!("validated"), &first));
    let ids: Vec<_> = payments(&client, &batch).iter().map(|payment| payment["id"].clone()).collect();

    assert_eq!(uploaded(&client, &batch, rows(&[pounds("x", "a")])), "failed");
    assert_eq!(find(&client, &batch)["status"], "draft");
    assert_eq!(find(&client, &batch)["ordersSummary"]["numberOfOrders"], 0);
    assert_eq!(alerts(&client, &batch), [(Some(0), "amount_invalid".to_owned())]);
    let list = payments(&client, &batch);
    assert_eq!(list.len(), 1);
    assert!(!ids.contains(&list[0]["id"]));

    assert_eq!(uploaded(&client, &batch, rows(&[pounds("3", "a")])), "validated");
    assert_eq!(alerts(&client, &batch), []);
    assert_eq!(payments(&client, &batch)[0]["amount"], "3.00");
    assert_eq!(find(&client, &batch)["input"]["createdAt"], first["createdAt"]);
}

#[test]
fn an_empty_upload_leaves_a_draft() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1", "a")]);
    assert_eq!(uploaded(&client, &batch, rows(&[])), "failed");
    assert_eq!(find(&client, &batch)["status"], "draft");
    assert_eq!(alerts(&client, &batch), [(None, "no_payments".to_owned())]);
    assert_eq!(payments(&client, &batch), Vec::<Value>::new());
}

#[test]
fn an_invalid_shape_is_refused_and_changes_nothing() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1", "a")]);
    let before = find(&client, &batch);
    let mut table = Table::default();
    for (body, path, code) in [
        ("{}", "body.rows", "required"),
        ("[]", "body", "invalid_type"),
        ("{\"rows\": [1]}", "body.rows[0]", "invalid_type"),
        ("{\"rows\": [{}, {}, {}, {\"amount\": 5}]}", "body.rows[3].amount", "invalid_type"),
        ("{\"rows\": [{\"recipient\": {\"name\": []}}]}", "body.rows[0].recipient.name", "invalid_type"),
        ("{\"rows\": [{\"recipient\": {\"nmae\": \"x\"}}]}", "body.rows[0].recipient.nmae", "unknown_field"),
        ("{\"rows\": [{\"reference\": \"a\\u0000\"}]}", "body.rows[0].reference", "invalid_format"),
        ("{\"rows\": [{\"reference\": \"\\udc00\"}]}", "body.rows[0].reference", "invalid_format"),
        ("{\"rows\": [], \"rows\": []}", "body.rows", "duplicate_field"),
        ("{\"rows\": [], \"defaultFundingBudgetId\": \"x\"}", "body.defaultFundingBudgetId", "invalid_format"),
        ("{\"rows\": [}", "body", "invalid_json"),
        ("", "body", "required"),
    ] {
        table.check(&bad(body, path, code), &upload(&client, &batch, body));
    }
    table.assert_passed(12);
    let many = |count: usize| json!({"rows": vec![json!({}); count]}).to_string();
    expect_fault(&upload(&client, &batch, many(3_001)), 400, "body.rows", "out_of_range");
    let faults =
        expect_error(&upload(&client, &batch, json!({"rows": vec![json!({"amount": 1}); 3_000]}).to_string()), 400);
    assert_eq!((faults.len(), faults[999].path.as_str()), (1_000, "body.rows[999].amount"));
    assert_eq!(find(&client, &batch), before);
    assert_eq!(uploaded(&client, &batch, many(3_000)), "failed");
}

/// Returns codes of faults, each with a row that has only this fault.
fn faulty() -> Vec<(&'static str, Value)> {
    let with = |path: &str, value: Value| {
        let mut row = pounds("1", path);
        row["reference"] =
            json!(format!("{path} {value}").chars().filter(char::is_ascii_alphanumeric).take(18).collect::<String>());
        match path.split_once('.') {
            Some(("recipient", member)) => row["recipient"][member] = value,
            _ => row[path] = value,
        }
        row
    };
    let mut euro = euros("1", "x");
    euro["fundingBudgetId"] = json!(demo().budget("GBP"));
    let mut bad_iban = euros("1", "y");
    bad_iban["recipient"]["accountIdentifier"] = json!("DE89370400440532013001");
    let mut bank_abroad = euros("1", "z");
    bank_abroad["recipient"]["bankIdentifier"] = json!("BNPAFRPP");
    let mut wrong_network = euros("1", "r");
    wrong_network["recipient"]["paymentNetwork"] = json!("FASTER_PAYMENTS");
    vec![
        ("amount_required", with("amount", Value::Null)),
        ("amount_invalid", with("amount", json!("ten"))),
        ("amount_too_precise", with("amount", json!("1.001"))),
        ("amount_out_of_range", with("amount", json!("0.00"))),
        ("amount_out_of_range", with("amount", json!("1000000000.01"))),
        ("currency_required", with("currencyCode", Value::Null)),
        ("currency_unknown", with("currencyCode", json!("XYZ"))),
        ("funding_budget_invalid", with("fundingBudgetId", json!("x"))),
        ("funding_budget_not_found", with("fundingBudgetId", json!(ABSENT))),
        ("funding_budget_currency", euro),
        ("recipient_name_required", with("recipient.name", Value::Null)),
        ("recipient_type_unknown", with("recipient.type", json!("robot"))),
        ("account_identifier_required", with("recipient.accountIdentifier", Value::Null)),
        ("account_number_invalid", with("recipient.accountIdentifier", json!("1234567"))),
        ("iban_invalid", bad_iban),
        ("bank_identifier_required", with("recipient.bankIdentifier", Value::Null)),
        ("bank_identifier_invalid", with("recipient.bankIdentifier", json!("NOBIC"))),
        ("sort_code_invalid", with("recipient.bankIdentifier", json!("08999"))),
        ("bank_country_mismatch", bank_abroad),
        ("modulus_check_failed", with("recipient.accountIdentifier", json!("66374959"))),
        ("network_unknown", with("recipient.paymentNetwork", json!("PIGEON"))),
        ("network_currency", wrong_network),
        ("country_unknown", with("recipient.address", json!({"countryCode": "XX"}))),
        ("reference_invalid", with("reference", json!("x".repeat(200)))),
        ("email_invalid", with("recipient.subscribedEmails", json!([{"email": "nobody"}]))),
        ("text_too_long", with("purpose", json!("x".repeat(5_000)))),
        ("text_invalid", with("purpose", json!("bell\u{7}"))),
    ]
}

#[test]
fn every_fault_of_a_value_is_an_alert_of_its_row() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let faulty = faulty();
    let mut all: Vec<_> = faulty.iter().map(|(_, row)| row.clone()).collect();
    all.push(pounds("7", "good"));
    all.push(pounds("7", "good"));
    assert_eq!(uploaded(&client, &batch, rows(&all)), "failed");
    let alerts = alerts(&client, &batch);
    let mut table = Table::default();
    for (index, (code, _)) in faulty.iter().enumerate() {
        let codes: Vec<_> = alerts.iter().filter(|(row, _)| row.map(usize::try_from) == Some(Ok(index))).collect();
        let found = codes.iter().any(|(_, found)| found == code);
        table.check_text(&format!("row {index}: {code}"), if found { code } else { "other" }, code);
        assert!(found, "row {index} must have the alert {code}; it has {codes:?}");
    }
    table.assert_passed(27);
    let good = i64::try_from(faulty.len()).unwrap();
    assert!(!alerts.iter().any(|(row, _)| *row == Some(good)), "{alerts:?}");
    assert_eq!(alerts.last(), Some(&(Some(good + 1), "duplicate_payment".to_owned())));
    let statuses: Vec<_> = payments(&client, &batch).iter().map(|payment| payment["status"].clone()).collect();
    assert!(statuses[..faulty.len()].iter().all(|status| status == "created"), "{statuses:?}");
    assert!(statuses[faulty.len()..].iter().all(|status| status == "validated"), "{statuses:?}");
}

#[test]
fn a_missing_budget_and_missing_fields_are_alerts() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let body = json!({"rows": [pounds("1", "a")]}).to_string();
    assert_eq!(uploaded(&client, &batch, body), "failed");
    assert_eq!(alerts(&client, &batch), [(Some(0), "funding_budget_required".to_owned())]);
    let csv = format!("{HEADER}\n1,GBP,Ada\n");
    assert_eq!(text(&expect_json(&upload_csv(&client, &batch, csv), 202), "/status"), "failed");
    assert_eq!(alerts(&client, &batch), [(Some(0), "wrong_number_of_fields".to_owned())]);
}

#[test]
fn all_faults_of_a_row_are_reported() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let row = json!({"amount": "-1", "currencyCode": "gbp?", "fundingBudgetId": "x", "recipient": {"type": "robot"}});
    assert_eq!(uploaded(&client, &batch, rows(&[row])), "failed");
    let codes: BTreeSet<_> = alerts(&client, &batch).into_iter().map(|(_, code)| code).collect();
    for code in [
        "amount_invalid",
        "currency_unknown",
        "funding_budget_invalid",
        "recipient_name_required",
        "recipient_type_unknown",
        "account_identifier_required",
    ] {
        assert!(codes.contains(code), "{code} is not in {codes:?}");
    }
}

#[test]
fn an_operator_can_supply_the_complete_sort_code_table() {
    let workspace = Workspace::demo();
    let folder = workspace.path().display().to_string();
    let workspace = workspace.set("FLORIN_SORT_CODES_FOLDER", &folder);
    let refusal = workspace.refused(&["serve", "--json"]);
    assert!(refusal.contains("cannot read") && refusal.contains("valacdos.txt"), "{refusal}");
    workspace.write("valacdos.txt", "200000 299999 nonsense\n");
    workspace.write("scsubtab.txt", "");
    assert!(workspace.refused(&["serve", "--json"]).contains("FLORIN_SORT_CODES_FOLDER"));
    // The weights accept an account number only if its digits add up to a multiple of 11. The built-in table treats the
    // sort code differently.
    workspace.write(
        "valacdos.txt",
        "089999 089999 MOD11    0    0    0    0    0    0    1    1    1    1    1    1    1    1\n",
    );
    let server = Server::on(workspace);
    let client = server.client();
    let batch = create(&client, "x");
    assert_eq!(uploaded(&client, &batch, rows(&[pounds("1", "a")])), "failed");
    assert_eq!(alerts(&client, &batch), [(Some(0), "modulus_check_failed".to_owned())]);
}
