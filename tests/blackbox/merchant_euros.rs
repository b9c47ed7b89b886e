//! A merchant that sells in pounds and in euros: pages, refunds, sums and the export keep the currencies apart.

use serde_json::{Value, json};

use crate::support::assert::{expect_invariants, text};
use crate::support::management::with;
use crate::support::payer::{Payer, heading};
use crate::support::shop::{PAYMENTS, REFUNDS, SESSIONS, basket, new_session};
use crate::support::storefront::Shop;
use crate::support::{CHECKOUTS, Client, SETTLEMENT_ACCOUNTS, expect_fault, expect_json, shared};

/// Creates a settlement account with an IBAN, and a checkout in euros that names no account. Returns the id of the
/// checkout.
fn sell_in_euros(shop: &Shop) -> Value {
    let client = &shop.client;
    let details = json!({"type": "IBAN", "iban": "DE89370400440532013000"});
    let account = json!({"currencyCode": "EUR", "bankDetails": details});
    let account = expect_json(&client.post(SETTLEMENT_ACCOUNTS, account.to_string()), 201);
    // Pounds have a default of their own.
    assert_eq!((&account["approvalStatus"], &account["isDefault"]), (&json!("APPROVED"), &json!(true)));
    let path = format!("{SETTLEMENT_ACCOUNTS}/{}", text(&account, "/id"));
    let bank = json!({"bankId": shop.bank["id"]});
    expect_json(&client.call("PATCH", &path).json(bank.to_string()).send(), 200);
    let new = json!({"type": "SHOPPING", "name": "Continental shop", "currencyCode": "EUR",
        "returnUrl": "https://shop.example/paid"});
    expect_json(&client.post(CHECKOUTS, new.to_string()), 201)["id"].clone()
}

fn euros(amount: &str) -> Value {
    json!({"amount": amount, "currencyCode": "EUR"})
}

/// Refunds 2.50 euros of a payment. The merchant authorises the refund on its page.
fn refund_euros(client: &Client, payment: &str) -> Value {
    let path = format!("{PAYMENTS}/{payment}/refunds");
    let pounds = json!({"amount": {"amount": "2.50", "currencyCode": "GBP"}});
    expect_fault(&client.post(&path, pounds.to_string()), 400, "body.amount.currencyCode", "invalid_value");
    let refund = expect_json(&client.post(&path, json!({"amount": euros("2.50")}).to_string()), 201);
    let merchant = Payer::at(client, text(&refund, "/authorisationUrl"));
    assert!(merchant.page().contains("€2.50"), "{}", merchant.page());
    assert_eq!(heading(&merchant.follow(&[("action", "approve"), ("name", "Ada")])), "Refund approved");
    expect_json(&client.get(&format!("{REFUNDS}/{}", text(&refund, "/id"))), 200)
}

#[test]
fn euros_are_paid_refunded_and_summed_apart_from_pounds() {
    let shop = Shop::open(shared());
    let client = &shop.client;
    let checkout = sell_in_euros(&shop);
    let wrong = new_session(checkout.as_str().unwrap(), "pounds");
    expect_fault(&client.post(SESSIONS, wrong.to_string()), 400, "body.amount.currencyCode", "invalid_value");
    let in_pounds = shop.session(&json!({}));
    let more = json!({"checkoutId": checkout, "amount": euros("12.50")});
    let in_euros = shop.session(&with(more, &json!({"basket": basket()})));
    assert_eq!(heading(&Payer::of(&shop, &in_pounds).pay_as(&shop, "approve")), "Payment complete");
    let payer = Payer::of(&shop, &in_euros);
    let (summary, receipt) = (payer.page(), payer.pay_as(&shop, "approve"));
    assert_eq!(heading(&receipt), "Payment complete");
    for page in [&summary, &receipt] {
        assert!(page.contains("€12.50") && page.contains("€6.25") && !page.contains('£'), "{page}");
    }
    let refund = refund_euros(client, text(&shop.find(&in_euros), "/paymentId"));
    assert_eq!((&refund["status"], &refund["amount"]), (&json!("COMPLETED"), &euros("2.50")));
    let path = format!("/v2/merchant?accountId={}&include=paymentsSummary", client.account);
    let sums = json!([
        {"currencyCode": "EUR", "paidAmount": "12.50", "refundedAmount": "2.50", "count": 1},
        {"currencyCode": "GBP", "paidAmount": "12.50", "refundedAmount": "0.00", "count": 1},
    ]);
    assert_eq!(expect_json(&client.get(&path), 200)["paymentsSummary"], sums);
    let export = client.get(&format!("{PAYMENTS}/export?accountId={}&sort=createdAt", client.account)).text();
    for row in [
        ",PAYMENT,SHOPPING,COMPLETED,12.50,GBP,",
        ",PAYMENT,SHOPPING,COMPLETED,12.50,EUR,",
        ",REFUND,SHOPPING,COMPLETED,2.50,EUR,",
    ] {
        assert_eq!(export.matches(row).count(), 1, "{row}: {export}");
    }
    assert!(!export.contains("DE89"), "{export}");
    expect_invariants(client);
}
