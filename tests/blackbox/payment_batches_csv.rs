//! CSV uploads, the template, and downloads: a lossless round trip.

use std::fmt::Write;

use serde_json::json;

use crate::support::assert::text;
use crate::support::payments::{
    ADDED, HEADER, TEMPLATE, alerts, below, create, download, euros, filled, find, fresh_sandbox, listed, payments,
    pounds, rows, upload_csv, uploaded,
};
use crate::support::table::{Table, bad};
use crate::support::{Answer, demo, expect_error, expect_fault, expect_faults, expect_json, shared};

const ADA: &str = "GBP,Ada,66374958,089999";

fn upload_status(answer: &Answer) -> String {
    text(&expect_json(answer, 202), "/status").to_owned()
}

#[test]
fn the_template_is_the_header_row() {
    let client = shared().client();
    let answer = client.get(TEMPLATE);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/csv; charset=utf-8")), "{answer:?}");
    assert_eq!(client.get(&format!("{TEMPLATE}?")).body, answer.body, "no account is required");
    let text = answer.text();
    assert!(text.starts_with("amount,currencyCode,fundingBudgetId,") && text.ends_with("\r\n"), "{text}");
    assert_eq!((text.lines().count(), text.trim().split(',').count()), (1, 35));
}

#[test]
fn equivalent_files_give_the_same_payments() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let plain = format!("{HEADER}\n1.50,{ADA}\n2,{ADA}\n");
    for csv in [
        plain.clone(),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain.replace('\n', "\n\n"),
        plain.replace("Ada", "\"Ada\""),
        plain.replace(',', ";"),
        plain.replace('\n', "\n,,,,\n"),
        "status,recipient.bankIdentifier,recipient.name,warnings,currencyCode,\
         recipient.accountIdentifier,amount,errors\n\
         ,089999,Ada,,GBP,66374958,1.50,\n,089999,Ada,,GBP,66374958,2,\n"
            .to_owned(),
    ] {
        let answer = expect_json(&upload_csv(&client, &batch, &csv), 202);
        assert_eq!((&answer["format"], &answer["status"]), (&json!("csv"), &json!("validated")), "{csv}");
        let list = payments(&client, &batch);
        assert_eq!((&list[0]["amount"], &list[1]["amount"], list.len()), (&json!("1.50"), &json!("2.00"), 2), "{csv}");
        assert_eq!(list[0]["recipient"]["name"], "Ada");
    }
    let odd = format!("{HEADER}\n1,GBP,\"Ada, \"\"the\"\" first\",66374958,089999\n");
    upload_csv(&client, &batch, odd);
    assert_eq!(payments(&client, &batch)[0]["recipient"]["name"], "Ada, \"the\" first");
}

#[test]
fn a_file_that_cannot_be_read_is_refused_and_changes_nothing() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1", "a")]);
    let before = find(&client, &batch);
    let mut table = Table::default();
    for (name, csv, path, code) in [
        ("empty", String::new(), "body", "required"),
        ("an open quote", format!("{HEADER}\n1,\"GBP,Ada,1,2\n"), "body", "invalid_format"),
        ("text after a quote", format!("{HEADER}\n1,\"GBP\"x,Ada,1,2\n"), "body", "invalid_format"),
        ("an unknown column", format!("{HEADER},extra\n"), "body.extra", "unknown_field"),
        ("another case", format!("{HEADER},Purpose\n"), "body.Purpose", "unknown_field"),
        ("a repeated column", format!("{HEADER},amount\n"), "body.amount", "duplicate_field"),
        (
            "a missing column",
            "amount,currencyCode,recipient.name\n".into(),
            "body.recipient.accountIdentifier",
            "required",
        ),
        ("NUL", format!("{HEADER}\n1,GBP,A\0,1,2\n"), "body.rows[0].recipient.name", "invalid_format"),
        ("too many rows", format!("{HEADER}\n{}", format!("1,{ADA}\n").repeat(10_001)), "body", "out_of_range"),
    ] {
        table.check(&bad(name, path, code), &upload_csv(&client, &batch, csv));
    }
    table.assert_passed(9);
    let latin = [HEADER.as_bytes(), b"\n1,GBP,\xc4da,1,2\n"].concat();
    expect_fault(&upload_csv(&client, &batch, latin), 400, "body", "invalid_format");
    let several = [("body.x", "unknown_field"), ("body.recipient.accountIdentifier", "required")];
    expect_faults(&upload_csv(&client, &batch, "amount,currencyCode,recipient.name,x\n"), 400, &several);
    let target = format!("{}?accountId={}&defaultFundingBudgetId=x", below(&batch, "payments"), client.account);
    let answer = client.call("POST", &target).header("Content-Type", "text/csv").bytes(format!("{HEADER}\n")).send();
    expect_fault(&answer, 400, "query.defaultFundingBudgetId", "invalid_format");
    assert_eq!(find(&client, &batch), before);
}

/// A file that a spreadsheet or a person wrote almost correctly: the answer names the correction.
#[test]
fn the_correction_is_named() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let renamed = |from: &str, to: &str| format!("{}\n1,{ADA}\n", HEADER.replace(from, to));
    for (csv, path, hint) in [
        (renamed("amount", "Amount"), "body.Amount", "did you mean \"amount\"?"),
        (renamed("currencyCode", "currency"), "body.currency", "did you mean \"currencyCode\"?"),
        (format!("{HEADER},\n1,{ADA},\n"), "body", "remove the separator at the end of the header"),
    ] {
        let faults = expect_error(&upload_csv(&client, &batch, &csv), 400);
        let fault = faults.iter().find(|fault| fault.path == path && fault.code == "unknown_field");
        assert!(fault.is_some_and(|fault| fault.message.contains(hint)), "{csv}: {faults:?}");
    }
    let trailing = format!("{HEADER}\n1,{ADA},\n");
    for (csv, hint) in [
        (format!("{HEADER}\n1,{}\n", ADA.replace("089999", "89999")), "did you mean 089999?"),
        (
            trailing.clone(),
            "the row on line 2 must have 5 fields, like the header (got 6); remove the comma at its end",
        ),
        (trailing.replace(',', ";"), "remove the semicolon at its end"),
    ] {
        assert_eq!(upload_status(&upload_csv(&client, &batch, &csv)), "failed", "{csv}");
        let (alerts, _) = listed(&client, &below(&batch, "alerts"), "");
        assert!(alerts.iter().any(|alert| text(alert, "/message").contains(hint)), "{csv}: {alerts:?}");
    }
}

#[test]
fn csv_is_accepted_in_utf_8_only() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let csv = format!("{HEADER}\n1,{ADA}\n");
    let send =
        |media: &str| client.call("POST", &below(&batch, "payments")).header("Content-Type", media).bytes(&csv).send();
    for good in ["text/csv", "TEXT/CSV; charset=utf-8", "text/csv;charset=\"UTF-8\"", "text/csv; header=present"] {
        assert_eq!(send(good).status, 202, "{good}");
    }
    for wrong in ["text/csv; charset=latin1", "text/plain", "application/octet-stream", "application/vnd.ms-excel"] {
        expect_fault(&send(wrong), 415, "header.Content-Type", "unsupported_media_type");
    }
    let without = client.call("POST", &below(&batch, "payments")).bytes(&csv).send();
    expect_fault(&without, 415, "header.Content-Type", "unsupported_media_type");
    expect_fault(&send("application/json"), 400, "body", "invalid_json");
}

#[test]
fn a_download_can_be_corrected_and_uploaded_again() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let mut first = euros("1", "=1+1");
    first["recipient"]["name"] = json!("Ada, \"the\"\nfirst");
    first["recipient"]["address"] = json!({"city": "København", "countryCode": "DK"});
    assert_eq!(uploaded(&client, &batch, rows(&[first, pounds("nonsense", "b"), pounds("3", "c")])), "failed");
    let before = payments(&client, &batch);
    let csv = download(&client, &batch);
    let header = csv.lines().next().unwrap();
    assert!(
        header.ends_with(&ADDED.join(",")) && header.starts_with(shared().client().get(TEMPLATE).text().trim()),
        "{header}"
    );
    assert!(csv.contains("'=1+1") && !csv.contains(",=1+1"), "a formula got through: {csv}");
    assert!(csv.contains("amount_invalid: "), "{csv}");

    let corrected = csv.replace("nonsense", "2");
    upload_csv(&client, &batch, corrected);
    let after = payments(&client, &batch);
    assert_eq!(after[1]["amount"], "2.00", "{after:?}");
    for (before, after) in before.iter().zip(&after) {
        for member in ["currencyCode", "reference", "purpose", "recipient", "externalId"] {
            assert_eq!(before[member], after[member], "{member}");
        }
    }
    assert!(!alerts(&client, &batch).iter().any(|(row, _)| *row == Some(1)));
}

#[test]
fn a_download_contains_the_selected_payments() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    assert_eq!(uploaded(&client, &batch, rows(&[pounds("1", "a"), euros("2", "b"), pounds("x", "c")])), "failed");
    let lines = |query: &str| {
        let target = format!("{}?accountId={}&{query}", below(&batch, "payments/download"), client.account);
        client.call("POST", &target).send().text().lines().count()
    };
    assert_eq!((lines(""), lines("statuses=validated"), lines("statuses=created,validated")), (4, 3, 4));
    let order = text(&payments(&client, &batch)[0], "/orderId").to_owned();
    assert_eq!((lines(&format!("orderIds={order}")), lines(&format!("orderIds={}", crate::support::ABSENT))), (2, 1));
    let path = below(&batch, "payments/download");
    for (media, body) in [("text/csv", ""), ("application/json", ""), ("application/json", "{}"), ("text/csv", " {}\n")]
    {
        let answer = client.call("POST", &path).header("Content-Type", media).bytes(body).send();
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/csv; charset=utf-8")), "{media}");
    }
    expect_fault(&client.post(&path, "{\"statuses\": []}"), 400, "body.statuses", "unknown_field");
    let refused = client.call("POST", &path).header("Content-Type", "text/csv").bytes("a,b").send();
    expect_fault(&refused, 415, "header.Content-Type", "unsupported_media_type");
    let target = format!("{path}?accountId={}&statuses=x&orderIds=y", client.account);
    let faults = [("query.statuses", "invalid_value"), ("query.orderIds", "invalid_format")];
    expect_faults(&client.call("POST", &target).send(), 400, &faults);
}

#[test]
fn ten_thousand_wrong_rows_get_ten_thousand_alerts() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let mut csv = format!("{HEADER}\n");
    for row in 0..10_000 {
        writeln!(csv, "bad{row},{ADA}").unwrap();
    }
    assert_eq!(upload_status(&upload_csv(&client, &batch, csv)), "failed");
    let (_, count) = listed(&client, &below(&batch, "alerts"), "limit=1");
    assert_eq!(count, 10_000);
    let (last, _) = listed(&client, &below(&batch, "alerts"), "limit=1&sort=asc&offset=9999&alertCode=amount_invalid");
    assert_eq!(last[0]["inputIndex"], 9_999);
    assert_eq!(find(&client, &batch)["alerts"].as_array().unwrap().len(), 100);
    let csv = download(&client, &batch);
    assert_eq!((csv.lines().count(), csv.matches("amount_invalid: ").count()), (10_001, 10_000));
    assert_eq!(upload_status(&upload_csv(&client, &batch, csv)), "failed");
    assert_eq!(demo().account, client.account);
}
