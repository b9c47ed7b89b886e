//! Requests about activity as the documentation of the original service shows them, unchanged. A client of the original
//! must find the members of the rows where it expects them.

use serde_json::{Map, Value};

use crate::support::assert::{Member, is_time, is_uuid, text};
use crate::support::management::{budget, transfer};
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::{ATM, AUTHORIZATION, CLEARING, Client, REFUND, Wallet, expect_fault, expect_json};

const ROW: &[Member] = &[
    ("resourceType", |value| ["box", "card", "payment"].iter().any(|name| value == name)),
    ("id", is_uuid),
    ("accountId", Value::is_string),
    ("type", Value::is_string),
    ("status", Value::is_string),
    ("budgetId", is_uuid),
    ("amount", Value::is_number),
    ("reference", |value| value.is_null() || value.is_string()),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

/// Members of rows of the resource types `box` and `card`.
const TRANSACTION: &[Member] = &[
    ("transactionType", |value| value == "Boxes" || value == "Marqeta"),
    ("transactionGroupId", is_uuid),
    ("transactionGroup", Value::is_object),
];

const GROUP: &[Member] = &[
    ("id", is_uuid),
    ("accountId", Value::is_string),
    ("personId", |value| value.is_null() || is_uuid(value)),
    ("budgetId", is_uuid),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

const BOX: &[Member] =
    &[("id", is_uuid), ("transactionId", is_uuid), ("boxTransactionId", |value| value.is_null() || value.is_i64())];

const PAYMENT: &[Member] = &[
    ("orderId", is_uuid),
    ("beneficiaryName", |value| value == "Ada Lovelace"),
    ("beneficiaryAccountNumber", |value| value == "66374958"),
    ("beneficiarySortCode", |value| value == "089999"),
    ("currency", |value| value == "GBP"),
    ("sellCurrency", |value| value == "GBP"),
    ("buyCurrency", |value| value == "GBP"),
    ("settlementAmount", Value::is_number),
    ("settlementFee", Value::is_number),
    ("settlementAmountWithoutFee", Value::is_number),
];

/// Expects these members, each with a value of its kind.
fn assert_shape(value: &Value, members: &[Member]) {
    let object: &Map<String, Value> = value.as_object().unwrap();
    for (name, is_right) in members {
        assert!(object.get(*name).is_some_and(is_right), "{name} of {value}");
    }
}

fn rows(client: &Client, query: &str) -> Vec<Value> {
    let page = expect_json(&client.get(&format!("/v2/activity/{}?{query}", client.account)), 200);
    assert_eq!(page["count"], page["rows"].as_array().map_or(0, Vec::len), "{query}");
    page["rows"].as_array().unwrap().clone()
}

/// Starts a sandbox whose demo account has a row of every resource type that Florin has.
fn account_with_activity() -> (crate::support::Server, Client, Wallet) {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let bought = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &bought, "8");
    wallet.token(ATM, "30");
    wallet.token(REFUND, "5");
    wallet.credit("12.34");
    let to = budget(&client, "Receiver");
    expect_json(&transfer(&client, &wallet.card.budget, &to, "20.00"), 200);
    confirmed(&client, &filled(&client, &[pounds("10", "Wages")]));
    (server, client, wallet)
}

#[test]
fn rows_have_the_members_of_their_resource_type() {
    let (_server, client, _) = account_with_activity();
    let all = rows(&client, "limit=1000");
    for kind in ["box", "card", "payment"] {
        assert!(all.iter().any(|row| row["resourceType"] == kind), "no {kind}");
    }
    for row in &all {
        assert_shape(row, ROW);
        match text(row, "/resourceType") {
            "payment" if row["paymentBatchId"] != Value::Null && row["reference"] == "Wages" => {
                assert_shape(row, PAYMENT);
            }
            "payment" => {}
            kind => {
                assert_shape(row, TRANSACTION);
                assert_shape(&row["transactionGroup"], GROUP);
                if kind == "box" {
                    assert_shape(&row["transactionBox"], BOX);
                    assert_eq!(row["transactionBox"]["transactionId"], row["id"]);
                }
            }
        }
    }
    let sides: Vec<_> = all.iter().filter(|row| row["type"] == "load" || row["type"] == "unload").collect();
    assert_eq!((sides.len(), &sides[0]["transactionGroupId"]), (2, &sides[1]["transactionGroupId"]));
}

#[test]
fn documented_requests_are_understood() {
    let (_server, client, wallet) = account_with_activity();
    let all = rows(&client, "limit=1000");
    let of = |kinds: &[&str]| -> Vec<Value> {
        all.iter().filter(|row| kinds.iter().any(|kind| row["type"] == *kind)).cloned().collect()
    };
    assert_eq!(rows(&client, "limit=1000&type=payment%2Cload"), of(&["load"]), "separated by an encoded comma");
    assert_eq!(rows(&client, "limit=1000&type[]=atm&type[]=load"), of(&["atm", "load"]), "repeated with brackets");
    assert_eq!(rows(&client, "limit=1000&type=atm&type=load"), of(&["atm", "load"]), "repeated");
    assert_eq!(
        rows(&client, "limit=1000&excludeType[]=card,cardCheck,cardRefund,batchPayment,deposit"),
        of(&["atm", "load", "unload"])
    );
    for status in ["needsApproval", "fundsRequired", "open"] {
        assert_eq!(rows(&client, &format!("status={status}")), Vec::<Value>::new(), "{status}");
    }
    for kind in ["exchange", "payment", "forwardContract", "drawdown", "cashWithdrawal", "otherDebit", "chargeback"] {
        assert_eq!(rows(&client, &format!("type={kind}")), Vec::<Value>::new(), "{kind}");
    }
    let pending = rows(&client, "limit=1000&status%5B%5D=pending");
    assert!(pending.iter().any(|row| row["type"] == "atm") && pending.iter().all(|row| row["status"] == "pending"));
    let of_budget = rows(&client, &format!("limit=1000&budgetId[]={}", wallet.card.budget));
    assert!(!of_budget.is_empty() && of_budget.iter().all(|row| row["budgetId"] == wallet.card.budget));
    // The payment is processed meanwhile, so only its row may differ.
    let settled = |rows: Vec<Value>| rows.into_iter().filter(|row| row["type"] != "batchPayment").collect::<Vec<_>>();
    assert_eq!(settled(rows(&client, "limit=1000&include=bankFeedDetails,annotations,attachments")), settled(all));
}

#[test]
fn single_activities_are_found_by_type_and_id() {
    let (_server, client, _) = account_with_activity();
    let all = rows(&client, "limit=1000");
    let get = |kind: &str, id: &str| client.get(&format!("/v2/activity/{kind}/{id}?accountId={}", client.account));
    for row in &all {
        let (id, kind) = (text(row, "/id"), text(row, "/resourceType"));
        let kind = match kind {
            "payment" => "payment",
            "box" => "boxTransaction",
            _ => "transaction",
        };
        let found = expect_json(&get(kind, id), 200);
        assert_eq!(found["id"], row["id"]);
        // The payment is processed meanwhile, so its row may have changed.
        for (name, value) in row.as_object().unwrap().iter().filter(|_| kind != "payment") {
            assert_eq!(&found[name], value, "{name} of {id}");
        }
        if let Some(number) = row["transactionBox"]["boxTransactionId"].as_i64() {
            assert_eq!(expect_json(&get("boxTransaction", &number.to_string()), 200)["id"], id);
            assert_eq!(expect_json(&get("transaction", id), 200)["id"], id);
        }
    }
    expect_fault(&get("order", "F6VOXCZ1AMND"), 404, "path.id", "not_found");
    expect_fault(&get("payment", "123456"), 400, "path.id", "invalid_format");
    expect_fault(&get("card", "123456"), 400, "path.type", "invalid_value");
}
