//! `GET /v2/merchant/payments` and its export: members, filters, order and limits; and the books behind them.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::management::budget;
use crate::support::shop::{
    ORDERS, PAYMENTS, SESSIONS, TOP_UPS, act_as_payer, bank, new_session, refund_one_pound, shop, sold,
};
use crate::support::store::is_sqlite;
use crate::support::worlds::set_clock;
use crate::support::{Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json};

/// Creates a payment, its refund, a top-up of a budget, and a rejected payment. Returns their rows in the list, and the
/// objects that they belong to. All rows but that of the first payment are from the next day, in this order.
fn trade(client: &Client, checkout: &str) -> (Vec<Value>, [Value; 4]) {
    let bank = bank(client);
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    set_clock(client, json!({"freezeAt": "2040-01-01T23:59:59Z"}));
    let paid = sold(client, checkout, "1");
    set_clock(client, json!({"advanceBy": "PT1S"}));
    let refund = refund_one_pound(client, text(&paid, "/paymentId"));
    set_clock(client, json!({"advanceBy": "PT1S"}));
    let top_up = json!({"budgetId": budget(client, "Float"), "amount": amount, "idempotencyKey": "1"});
    let top_up = expect_json(&client.post(TOP_UPS, top_up.to_string()), 201);
    expect_json(&act_as_payer(client, &top_up, &json!({"bankId": bank, "outcome": "approve"})), 200);
    set_clock(client, json!({"advanceBy": "PT1S"}));
    let mut other = new_session(checkout, "2");
    other["merchantReference"] = json!("other");
    let other = expect_json(&client.post(SESSIONS, other.to_string()), 201);
    expect_json(&act_as_payer(client, &other, &json!({"bankId": bank, "outcome": "reject"})), 200);
    let rows = expect_json(&client.get(&format!("{PAYMENTS}?accountId={}&sort=createdAt", client.account)), 200);
    (rows["rows"].as_array().unwrap().clone(), [paid, refund, top_up, other])
}

#[test]
fn payments_are_filtered_and_sorted() {
    let (_server, client, checkout) = shop();
    let (rows, [paid, _, top_up, other]) = trade(&client, &checkout);
    assert_eq!(rows.len(), 4);
    let ids: Vec<_> = rows.iter().map(|row| text(row, "/id")).collect();
    let places = |filter: &str| {
        let answer = client.get(&format!("{PAYMENTS}?accountId={}&{filter}", client.account));
        assert_documented("get", PAYMENTS, &answer);
        let found = expect_json(&answer, 200);
        let rows = found["rows"].as_array().unwrap();
        let place = |row: &Value| ids.iter().position(|id| *id == text(row, "/id")).unwrap();
        rows.iter().map(place).collect::<Vec<_>>()
    };
    for (filter, expected) in [
        ("limit=10", vec![3, 2, 1, 0]),
        ("sort=-createdAt", vec![3, 2, 1, 0]),
        ("sort=createdAt", vec![0, 1, 2, 3]),
        ("startDate=2040-01-02", vec![3, 2, 1]),
        ("endDate=2040-01-01", vec![0]),
        ("startDate=2040-01-01&endDate=2040-01-02", vec![3, 2, 1, 0]),
        ("startDate=2040-01-02&endDate=2040-01-01", vec![]),
        ("type=PAYMENT", vec![3, 2, 0]),
        ("type=REFUND", vec![1]),
        ("checkoutType=SHOPPING", vec![3, 1, 0]),
        ("checkoutType=TOP_UP", vec![2]),
        ("status=COMPLETED", vec![2, 0]),
        ("status=PENDING", vec![1]),
        ("status=FAILED", vec![3]),
        ("status=CANCELLED", vec![]),
        ("merchantReference=order-7", vec![1, 0]),
        ("merchantReference=other", vec![3]),
        (&format!("checkoutSessionId={}", text(&paid, "/id")), vec![1, 0]),
        (&format!("checkoutSessionId={}", text(&top_up, "/id")), vec![2]),
        (&format!("checkoutSessionId={}&type=REFUND", text(&other, "/id")), vec![]),
        (&format!("refundedPaymentId={}", text(&paid, "/paymentId")), vec![1]),
    ] {
        assert_eq!(places(filter), expected, "{filter}");
        let export = client.get(&format!("{PAYMENTS}/export?accountId={}&{}", client.account, without_page(filter)));
        let lines = export.text().lines().skip(1).map(|line| line[..36].to_owned()).collect::<Vec<_>>();
        assert_eq!(lines, expected.iter().map(|place| ids[*place]).collect::<Vec<_>>(), "export: {filter}");
    }
    let wrong = "startDate=1&type=payment&checkoutType=x&status=open&checkoutSessionId=x&sort=amount";
    let faults = [
        ("query.startDate", "invalid_format"),
        ("query.type", "invalid_value"),
        ("query.checkoutType", "invalid_value"),
        ("query.status", "invalid_value"),
        ("query.checkoutSessionId", "invalid_format"),
        ("query.sort", "invalid_value"),
    ];
    expect_faults(&client.get(&format!("{PAYMENTS}?accountId={}&{wrong}", client.account)), 400, &faults);
}

/// Returns a filter for the export, which has no pages.
fn without_page(filter: &str) -> &str {
    if filter == "limit=10" { "sort=-createdAt" } else { filter }
}

#[test]
fn payments_orders_and_top_ups_have_every_member() {
    let (_server, client, checkout) = shop();
    let (rows, [paid, _, top_up, _]) = trade(&client, &checkout);
    let payment = "amount checkoutSessionId checkoutType completedAt createdAt failureReason id initiatedAt \
        isRefundable merchantReference orderId payerBankName refundId refundedPaymentId status type";
    for row in &rows {
        assert_eq!(members(row).join(" "), payment);
    }
    let order = expect_json(&client.get(&format!("{ORDERS}/{}", text(&paid, "/orderId"))), 200);
    let names = "amount basket checkoutSessionId createdAt id merchantReference paymentId shipping";
    assert_eq!(members(&order).join(" "), names);
    let top_up = expect_json(&client.get(&format!("{TOP_UPS}/{}", text(&top_up, "/id"))), 200);
    let names = "amount budgetId checkoutUrl completedAt createdAt expiresAt id locale paymentId paymentReference \
        returnUrl status updatedAt";
    assert_eq!(members(&top_up).join(" "), names);
}

#[test]
fn an_export_has_at_most_10_000_rows() {
    let workspace = Workspace::demo();
    // 10,000 failed payments of the paid session of the demo data.
    let number = "substr('0198c0de-0099-7000-8000-000000000000', 1, 36 - length(CAST(n AS TEXT))) || CAST(n AS TEXT)";
    let id = if is_sqlite() { number.to_owned() } else { format!("CAST({number} AS UUID)") };
    workspace
        .sql(&format!(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000) \
         INSERT INTO merchant_payments (account_id, id, session_id, kind, status, currency, amount_minor, bank_id, \
         bank_name, failure, initiated_at, created_at, settlement_account_id, merchant_reference) \
         SELECT p.account_id, {id}, p.session_id, 'PAYMENT', 'FAILED', p.currency, p.amount_minor, p.bank_id, \
         p.bank_name, 'TIMED_OUT', p.initiated_at, p.created_at, p.settlement_account_id, p.merchant_reference \
         FROM merchant_payments p, numbers \
         WHERE p.kind = 'PAYMENT' AND p.status = 'COMPLETED' \
         AND p.id IN (SELECT refunded_payment_id FROM merchant_payments)"
        ))
        .unwrap();
    let server = Server::on(workspace);
    let client = server.client();
    let sold = demo().json["checkoutSessions"].as_array().unwrap().iter();
    let mut sold = sold.filter(|session| session["status"] == "COMPLETED" && session["type"] == "SHOPPING");
    let sold = text(sold.next_back().unwrap(), "/id").to_owned();
    let export = |filter: &str| {
        client.get(&format!("{PAYMENTS}/export?accountId={}&checkoutSessionId={sold}{filter}", client.account))
    };
    let full = export("&status=FAILED");
    assert_eq!((full.status, full.text().lines().count()), (200, 10_001));
    let refused = export("");
    assert_documented("get", "/v2/merchant/payments/export", &refused);
    let fault = expect_fault(&refused, 422, "", "too_many_rows");
    assert!(fault.message.contains("payments match"), "{}", fault.message);
    assert_eq!(refused.header("content-disposition"), None, "no file");
}

/// Changes the demo data by SQL, runs `florin check`, and returns the discrepancies that it reports.
fn discrepancies_after(change: &str) -> Vec<Value> {
    let workspace = Workspace::demo();
    workspace.sql(change).unwrap();
    let output = workspace.run(&["check", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["discrepancies"].as_array().unwrap().clone();
    assert_eq!(
        (report["ok"].as_bool(), output.status.success()),
        (Some(found.is_empty()), found.is_empty()),
        "{report}"
    );
    found
}

#[test]
fn a_check_finds_inconsistent_books_of_merchants() {
    const COMPLETED: &str = "WHERE kind = 'PAYMENT' AND status = 'COMPLETED'";
    assert_eq!(discrepancies_after("SELECT 1"), [] as [Value; 0]);
    for (change, kinds) in [
        (format!("UPDATE merchant_payments SET amount_minor = amount_minor + 1 {COMPLETED}"), vec!["settlement"]),
        (
            "UPDATE journal_legs SET amount_minor = amount_minor - 1 WHERE to_pool = 'merchant_settled'".to_owned(),
            vec!["hashChain", "settlement"],
        ),
        (
            "UPDATE merchant_payments SET amount_minor = 100000000 WHERE kind = 'REFUND'".to_owned(),
            vec!["refunds", "settlement"],
        ),
        (
            "UPDATE checkout_sessions SET status = 'CANCELLED', payment_id = NULL, completed_at = NULL \
             WHERE status = 'COMPLETED'"
                .to_owned(),
            vec!["session"],
        ),
        (
            format!("UPDATE merchant_payments SET status = 'CANCELLED', completed_at = NULL {COMPLETED}"),
            vec!["listCount", "listedPayments", "session", "settlement"],
        ),
        ("UPDATE merchant_payments SET has_refunds = NOT has_refunds".to_owned(), vec!["listedPayments"]),
    ] {
        let found = discrepancies_after(&change);
        let mut found_kinds: Vec<_> = found.iter().map(|line| text(line, "/kind")).collect();
        found_kinds.sort_unstable();
        found_kinds.dedup();
        assert_eq!(found_kinds, kinds, "{change}: {found:?}");
        // A discrepancy of a list or of a hash chain names no object of the merchant.
        let named = |line: &&Value| !text(line, "/kind").starts_with("list") && text(line, "/kind") != "hashChain";
        for line in found.iter().filter(named) {
            let (list, id) = match text(line, "/kind") {
                "session" => ("checkoutSessions", text(line, "/checkoutSessionId")),
                "refunds" => ("payments", text(line, "/paymentId")),
                _ => ("settlementAccounts", text(line, "/objectId")),
            };
            let known = [&demo().json[list], &demo().json["payees"]];
            let mut known = known.into_iter().flat_map(|list| list.as_array().unwrap());
            assert!(known.any(|row| row["id"] == id), "{change}: {line}");
        }
    }
}
