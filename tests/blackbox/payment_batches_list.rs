//! `GET /v2/payment-batches`: filters, order, pages, hidden batches; and the lists of a batch.

use serde_json::{Value, json};

use crate::support::assert::{members, text, time, uuid};
use crate::support::payments::{
    BATCHES, below, create, euros, find, fresh_sandbox, listed, path, payments, pounds, rows, uploaded,
};
use crate::support::table::{Table, bad};
use crate::support::{demo, expect_json, shared};

fn ids(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| text(row, "/id").to_owned()).collect()
}

#[test]
fn batches_are_listed_newest_first_or_oldest_first() {
    let (_server, client) = fresh_sandbox();
    let created: Vec<_> = (0..3).map(|number| create(&client, &format!("{number}"))).collect();
    let (rows, count) = listed(&client, BATCHES, "limit=1000");
    assert_eq!(count, i64::try_from(rows.len()).unwrap());
    assert_eq!(ids(&rows)[..3], [created[2].clone(), created[1].clone(), created[0].clone()]);
    assert_eq!(rows[0], find(&client, &created[2]));
    let times: Vec<_> = rows.iter().map(|row| time(&row["createdAt"])).collect();
    assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
    let (mut forward, _) = listed(&client, BATCHES, "sort=asc&limit=1000");
    forward.reverse();
    assert_eq!(forward, rows);
}

#[test]
fn batches_are_filtered_by_id_and_status() {
    let client = shared().client();
    let (draft, failed) = (demo().batch("draft"), demo().batch("failed"));
    let account = text(&demo().json, "/accountId");
    assert_eq!(client.account, account);
    let (rows, count) = listed(&client, BATCHES, &format!("ids={},{failed}", draft.to_uppercase()));
    assert_eq!((rows.len(), count), (2, 2));
    let (rows, _) = listed(&client, BATCHES, &format!("ids={draft},{failed}&statuses=failed"));
    assert_eq!(ids(&rows), [failed.as_str()]);
    let (rows, count) = listed(&client, BATCHES, "statuses=started,completed");
    assert_eq!((rows.len(), count), (2, 2));
    assert!(rows.iter().all(|row| row["status"] == "started" || row["status"] == "completed"));
    let (rows, count) = listed(&client, BATCHES, &format!("ids={}", crate::support::ABSENT));
    assert_eq!((rows.len(), count), (0, 0));
}

#[test]
fn hidden_batches_are_omitted_by_default() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "Hidden");
    let body = json!({"visible": false}).to_string();
    expect_json(&client.call("PATCH", &path(&batch)).json(body).send(), 200);
    let query = format!("ids={batch}");
    assert_eq!(listed(&client, BATCHES, &query).1, 0);
    assert_eq!(listed(&client, BATCHES, &format!("{query}&includeHidden=false")).1, 0);
    assert_eq!(listed(&client, BATCHES, &format!("{query}&includeHidden=true")).1, 1);
    assert_eq!(find(&client, &batch)["visible"], false);
}

#[test]
fn pages_do_not_overlap() {
    let client = shared().client();
    let (all, count) = listed(&client, BATCHES, "limit=1000&statuses=validated");
    let mut pieces = Vec::new();
    for offset in (0..count).step_by(3) {
        let (rows, same) = listed(&client, BATCHES, &format!("limit=3&offset={offset}&statuses=validated"));
        assert_eq!(same, count);
        pieces.extend(rows);
    }
    assert_eq!(pieces, all);
    let past = expect_json(&client.get(&format!("{BATCHES}?accountId={}&offset=100000", client.account)), 200);
    assert_eq!((&past["limit"], &past["offset"], &past["rows"]), (&json!(100), &json!(100_000), &json!([])));
}

#[test]
fn invalid_parameters_are_reported() {
    let client = shared().client();
    let batch = demo().batch("draft");
    let (payments, alerts) = (below(&batch, "payments"), below(&batch, "alerts"));
    let mut table = Table::default();
    for (path, query, place, code) in [
        (BATCHES, "sort=up", "query.sort", "invalid_value"),
        (BATCHES, "ids=x", "query.ids", "invalid_format"),
        (BATCHES, "ids=", "query.ids", "required"),
        (BATCHES, "statuses=draft,Draft", "query.statuses", "invalid_value"),
        (BATCHES, "statuses=draft&statuses=draft", "query.statuses", "duplicate_parameter"),
        (BATCHES, "includeHidden=yes", "query.includeHidden", "invalid_value"),
        (BATCHES, "limit=0", "query.limit", "out_of_range"),
        (payments.as_str(), "statuses=draft", "query.statuses", "invalid_value"),
        (payments.as_str(), "sort=", "query.sort", "required"),
        (alerts.as_str(), "alertType=error", "query.alertType", "invalid_value"),
        (alerts.as_str(), "alertCode=nothing", "query.alertCode", "invalid_value"),
        (alerts.as_str(), "from=yesterday", "query.from", "invalid_format"),
        (alerts.as_str(), "to=2026-09-01T12:00:00", "query.to", "invalid_format"),
    ] {
        let answer = client.get(&format!("{path}?accountId={}&{query}", client.account));
        table.check(&bad(format!("{path} {query}"), place, code), &answer);
    }
    table.assert_passed(13);
}

#[test]
fn payments_are_listed_with_every_member() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let mut wrong = pounds("nonsense", "c");
    wrong["recipient"]["address"] = json!({"city": "London", "countryCode": "GB"});
    wrong["recipient"]["subscribedEmails"] = json!([{"name": "A", "email": "a@example.com"}]);
    assert_eq!(uploaded(&client, &batch, rows(&[pounds("1.5", "a"), euros("20", "b"), wrong])), "failed");
    let list = payments(&client, &batch);
    let expected = "amount charges createdAt currencyCode externalId failureReason fees fundingBudgetId id inputIndex \
                  orderId paymentBatchId purpose purposeCode recipient reference status updatedAt";
    for (index, payment) in list.iter().enumerate() {
        assert_eq!(members(payment), expected.split_whitespace().collect::<Vec<_>>());
        assert_eq!((&payment["inputIndex"], &payment["charges"]), (&json!(index), &json!("SHA")));
        assert_eq!(payment["paymentBatchId"], batch.as_str());
        assert_eq!(members(&payment["recipient"]).len(), 13);
        uuid(&payment["id"]);
    }
    let (fine, faulty) = (&list[0], &list[2]);
    assert_eq!(
        (&fine["status"], &fine["amount"], &fine["fees"]),
        (&json!("validated"), &json!("1.50"), &json!("0.00"))
    );
    assert_eq!(fine["fundingBudgetId"], demo().budget("GBP"));
    assert!(fine["recipient"]["address"].is_null() && fine["recipient"]["subscribedEmails"] == json!([]));
    assert_ne!(fine["orderId"], list[1]["orderId"]);
    assert_eq!(
        (&faulty["status"], &faulty["amount"], &faulty["fees"]),
        (&json!("created"), &json!("nonsense"), &Value::Null)
    );
    assert_eq!((&faulty["orderId"], &faulty["fundingBudgetId"]), (&Value::Null, &Value::Null));
    assert_eq!(faulty["recipient"]["address"]["city"], "London");
    assert_eq!(members(&faulty["recipient"]["address"]).len(), 8);
    assert_eq!(faulty["recipient"]["subscribedEmails"], json!([{"name": "A", "email": "a@example.com"}]));

    let (backward, count) = listed(&client, &below(&batch, "payments"), "limit=2");
    assert_eq!((backward[0]["inputIndex"].as_i64(), backward.len(), count), (Some(2), 2, 3));
    let (created, count) = listed(&client, &below(&batch, "payments"), "statuses=created");
    assert_eq!((created.len(), count), (1, 1));
}

#[test]
fn alerts_are_filtered() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let upload = rows(&[pounds("1", "a"), pounds("1", "a"), json!({}), pounds("", "b")]);
    assert_eq!(uploaded(&client, &batch, upload), "failed");
    let alerts = |query: &str| listed(&client, &below(&batch, "alerts"), query);
    let (all, count) = alerts("sort=asc");
    assert_eq!(count, i64::try_from(all.len()).unwrap());
    assert_eq!(members(&all[0]), ["code", "inputIndex", "message", "timestamp", "type"]);
    let indexes: Vec<_> = all.iter().map(|alert| alert["inputIndex"].as_i64().unwrap()).collect();
    assert!(indexes.is_sorted() && indexes.contains(&2) && indexes.contains(&3), "{indexes:?}");
    let (warnings, count) = alerts("alertType=Warning");
    assert_eq!((warnings.len(), count), (1, 1));
    assert_eq!((&warnings[0]["code"], &warnings[0]["inputIndex"]), (&json!("duplicate_payment"), &json!(1)));
    assert_eq!(alerts("alertType=Error").1 + 1, i64::try_from(all.len()).unwrap());
    assert_eq!(alerts("alertCode=currency_required").1, 1);
    let at = text(&all[0], "/timestamp");
    assert_eq!(alerts(&format!("from={at}&to={at}")).1, i64::try_from(all.len()).unwrap(), "both are inclusive");
    assert_eq!(alerts("to=2020-01-01T00:00:00Z").1 + alerts("from=2999-01-01T00:00:00Z").1, 0);
    assert_eq!(find(&client, &batch)["alerts"], json!(all));
}
