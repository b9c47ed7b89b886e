//! `GET /v2/merchant/checkouts`: the rows, their order, pages and filters.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::assert::{ids, members, text, time, uuid};
use crate::support::{CHECKOUTS, Client, Server, Workspace, demo, expect_fault, expect_json, shared};

fn list(client: &Client, filter: &str) -> Value {
    let page = expect_json(&client.get(&format!("{CHECKOUTS}?accountId={}{filter}", client.account)), 200);
    assert_eq!(members(&page), ["count", "limit", "offset", "rows"]);
    page
}

fn rows(page: &Value) -> &Vec<Value> {
    page["rows"].as_array().unwrap()
}

fn demo_ids(keep: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let all = demo().json["checkouts"].as_array().unwrap();
    all.iter().filter(|checkout| keep(checkout)).map(|checkout| text(checkout, "/id").to_owned()).collect()
}

fn assert_https(url: &Value) {
    let url = url.as_str().unwrap_or_else(|| panic!("not a URL: {url}"));
    assert!(url.starts_with("https://") && url.chars().count() <= 2048, "{url}");
}

fn assert_locale(locale: &Value) {
    let Some(locale) = locale.as_str() else {
        assert!(locale.is_null(), "{locale}");
        return;
    };
    let mut parts = locale.split('-').peekable();
    let letters = |part: &str| part.chars().all(|letter| letter.is_ascii_alphabetic());
    let language = parts.next().unwrap();
    assert!(matches!(language.len(), 2 | 3) && letters(language), "{locale}");
    if parts.peek().is_some_and(|part| part.len() == 4) {
        assert!(letters(parts.next().unwrap()), "{locale}");
    }
    if let Some(region) = parts.next() {
        let digits = region.len() == 3 && region.chars().all(|digit| digit.is_ascii_digit());
        assert!(digits || (region.len() == 2 && letters(region)), "{locale}");
    }
    assert_eq!(parts.next(), None, "{locale}");
}

fn assert_checkout(row: &Value) {
    let expected = [
        "createdAt",
        "currencyCode",
        "id",
        "locale",
        "name",
        "returnUrl",
        "settlementAccountId",
        "shippingOptions",
        "status",
        "type",
        "updatedAt",
    ];
    assert_eq!(members(row), expected);
    uuid(&row["id"]);
    assert!(["GBP", "EUR"].contains(&text(row, "/currencyCode")), "{row}");
    assert!(["ACTIVE", "DEACTIVATED"].contains(&text(row, "/status")), "{row}");
    assert!(row["name"].is_null() || !text(row, "/name").is_empty(), "{row}");
    assert_https(&row["returnUrl"]);
    assert_locale(&row["locale"]);
    assert!(time(&row["createdAt"]) <= time(&row["updatedAt"]), "{row}");
    match text(row, "/type") {
        "TOP_UP" => {
            assert!(row["settlementAccountId"].is_null(), "{row}");
            assert!(row["shippingOptions"].is_null(), "{row}");
        }
        "SHOPPING" => {
            if !row["settlementAccountId"].is_null() {
                uuid(&row["settlementAccountId"]);
            }
            if let Some(options) = row["shippingOptions"].as_object() {
                assert_eq!(members(&row["shippingOptions"]), ["collectAddress", "dynamicRatesUrl"]);
                assert!(options["collectAddress"].is_boolean(), "{row}");
                if !options["dynamicRatesUrl"].is_null() {
                    assert_https(&options["dynamicRatesUrl"]);
                }
            } else {
                assert!(row["shippingOptions"].is_null(), "{row}");
            }
        }
        other => panic!("type {other}: {row}"),
    }
}

#[test]
fn rows_have_every_member() {
    let page = list(&shared().client(), "&limit=1000");
    rows(&page).iter().for_each(assert_checkout);
    let kinds: BTreeSet<_> = rows(&page).iter().map(|row| text(row, "/type")).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["SHOPPING", "TOP_UP"]);
}

#[test]
fn all_demo_rows_are_present() {
    let page = list(&shared().client(), "&limit=1000");
    let expected = demo_ids(|_| true);
    assert!(expected.len() >= 120);
    assert_eq!(ids(&page).into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(page["count"], expected.len());
    for row in rows(&page) {
        let all = demo().json["checkouts"].as_array().unwrap();
        let known = all.iter().find(|checkout| checkout["id"] == row["id"]).unwrap();
        assert_eq!((&row["type"], &row["status"]), (&known["type"], &known["status"]));
    }
}

#[test]
fn by_default_a_page_has_the_first_100_rows() {
    let page = list(&shared().client(), "");
    assert_eq!((&page["limit"], &page["offset"]), (&Value::from(100), &Value::from(0)));
    assert_eq!(rows(&page).len(), 100);
}

#[test]
fn rows_are_sorted_by_time_then_id_descending() {
    let page = list(&shared().client(), "&limit=1000");
    let keys: Vec<_> = rows(&page).iter().map(|row| (time(&row["createdAt"]), text(row, "/id"))).collect();
    assert!(keys.is_sorted_by(|earlier, later| earlier > later), "not in order");
}

#[test]
fn pages_cover_all_rows_once() {
    let client = shared().client();
    let expected = ids(&list(&client, "&limit=1000"));
    let mut collected = Vec::new();
    for offset in (0..expected.len()).step_by(37) {
        let page = list(&client, &format!("&limit=37&offset={offset}"));
        assert_eq!(page["limit"], 37);
        assert_eq!(page["offset"], offset);
        assert_eq!(page["count"], expected.len());
        collected.extend(ids(&page));
    }
    assert_eq!(collected, expected);
}

#[test]
fn an_offset_past_the_end_is_an_empty_page() {
    let count = demo_ids(|_| true).len();
    for offset in [count.to_string(), "1000000".to_owned(), i64::MAX.to_string()] {
        let page = list(&shared().client(), &format!("&offset={offset}"));
        assert!(rows(&page).is_empty());
        assert_eq!(page["count"], count);
        assert_eq!(page["offset"].to_string(), offset);
    }
}

#[test]
fn limits_of_1_and_1000_are_accepted() {
    let client = shared().client();
    let one = list(&client, "&limit=1");
    assert_eq!(rows(&one).len(), 1);
    assert_eq!(one["limit"], 1);
    let max = list(&client, "&limit=1000");
    assert_eq!(max["limit"], 1000);
    assert_eq!(rows(&list(&client, "&limit=007")).len(), 7);
}

#[test]
fn rows_are_filtered_by_type_and_status() {
    let client = shared().client();
    for kind in ["SHOPPING", "TOP_UP"] {
        let page = list(&client, &format!("&limit=1000&type={kind}"));
        let expected = demo_ids(|checkout| checkout["type"] == kind);
        assert!(!expected.is_empty());
        assert_eq!(page["count"], expected.len());
        assert_eq!(ids(&page).into_iter().collect::<BTreeSet<_>>(), expected);
    }
    for status in ["ACTIVE", "DEACTIVATED"] {
        let page = list(&client, &format!("&limit=1000&status={status}"));
        let expected = demo_ids(|checkout| checkout["status"] == status);
        assert!(!expected.is_empty());
        assert_eq!(page["count"], expected.len());
        assert_eq!(ids(&page).into_iter().collect::<BTreeSet<_>>(), expected);
    }
    let page = list(&client, "&limit=2&type=SHOPPING&status=ACTIVE");
    let expected = demo_ids(|checkout| checkout["type"] == "SHOPPING" && checkout["status"] == "ACTIVE");
    assert_eq!(page["count"], expected.len());
    assert!(ids(&page).iter().all(|id| expected.contains(id)));
}

#[test]
fn unknown_parameters_are_ignored() {
    let client = shared().client();
    assert_eq!(list(&client, "&colour=red&sort=name&colour=blue"), list(&client, ""));
}

#[test]
fn checkouts_of_other_accounts_are_absent() {
    let ours = demo_ids(|_| true);
    let other = shared().other();
    let answer = other.get(CHECKOUTS);
    if answer.status == 404 {
        expect_fault(&answer, 404, "query.accountId", "not_found");
    } else {
        let page = list(&other, "&limit=1000");
        assert!(ids(&page).iter().all(|id| !ours.contains(id)));
    }
    expect_fault(&other.with_account(&demo().account).get(CHECKOUTS), 404, "query.accountId", "not_found");
}

#[test]
fn an_account_without_a_merchant_profile_is_not_found() {
    let workspace = Workspace::demo();
    let client = workspace.json(&["clients", "create", "--name", "No shop", "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    workspace.json(&["accounts", "create", "F70002", "--client", &client, "--merchant", "A shop", "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &client, "--all-scopes", "--json"]);
    let server = Server::on(workspace);
    let key = text(&key, "/key");
    let bare = server.client_of(key, "F70001").get(CHECKOUTS);
    expect_fault(&bare, 404, "query.accountId", "not_found");
    let page = list(&server.client_of(key, "F70002"), "");
    assert_eq!(page, serde_json::json!({"limit": 100, "offset": 0, "count": 0, "rows": []}));
}
