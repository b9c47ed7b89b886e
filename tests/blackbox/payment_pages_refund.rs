//! `/pay/refunds/{token}`: a merchant authorises a refund at its bank.

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::payer::{Payer, form_token, heading, html};
use crate::support::shop::{PAYMENTS, REFUNDS};
use crate::support::storefront::Shop;
use crate::support::{expect_json, shared, together};

/// Pays a session, and creates a refund of 2.50 pounds. Returns the refund, and the merchant's browser on its page.
fn create_refund(shop: &Shop) -> (Value, Payer) {
    let session = shop.session(&json!({}));
    Payer::of(shop, &session).pay_as(shop, "approve");
    let payment = shop.find(&session)["paymentId"].as_str().unwrap().to_owned();
    let body = json!({"amount": {"amount": "2.50", "currencyCode": "GBP"}, "reason": "Broken <mug>"});
    let path = format!("{PAYMENTS}/{payment}/refunds");
    let refund = expect_json(&shop.client.post(&path, body.to_string()), 201);
    let merchant = Payer::at(&shop.client, text(&refund, "/authorisationUrl"));
    (refund, merchant)
}

fn status(shop: &Shop, refund: &Value) -> String {
    let found = expect_json(&shop.client.get(&format!("{REFUNDS}/{}", text(refund, "/id"))), 200);
    text(&found, "/status").to_owned()
}

#[test]
fn a_merchant_authorises_a_refund_once() {
    let shop = Shop::open(shared());
    let (refund, merchant) = create_refund(&shop);
    let page = merchant.page();
    assert_eq!(heading(&page), "Approve the refund");
    for part in ["£2.50", "Broken &#60;mug&#62;", text(&shop.bank, "/name"), "RQ"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let approve = [("action", "approve"), ("name", "Ada")];
    let sent = merchant.send(&page, &approve);
    assert_eq!(heading(&merchant.arrive(&sent)), "Refund approved");
    assert_eq!(status(&shop, &refund), "COMPLETED");
    // The link was used. A repeated form shows the result again, and has no effect.
    assert!(html(&merchant.read(&merchant.path), 410).contains("This link is no longer valid"));
    assert_eq!(heading(&merchant.arrive(&merchant.send(&page, &approve))), "Refund approved");
    let forged = sent.header("location").unwrap().replace("result=", "result=1");
    html(&merchant.read(&forged), 410);
    html(&merchant.post(&[("action", "approve"), ("name", "Ada"), ("formToken", "x")]), 400);
}

#[test]
fn the_name_selects_the_outcome_of_a_refund() {
    let shop = Shop::open(shared());
    for (name, shown, now, later) in [
        ("approve", "Refund approved", "COMPLETED", "COMPLETED"),
        ("reject", "Refund cancelled", "CANCELLED", "CANCELLED"),
        ("leave", "Refund cancelled", "CANCELLED", "CANCELLED"),
        ("pending", "Refund approved", "PENDING", "COMPLETED"),
        ("fail_later", "Refund approved", "PENDING", "FAILED"),
        ("time_out", "Refund approved", "PENDING", "FAILED"),
        ("technical_error", "Refund approved", "PENDING", "FAILED"),
    ] {
        let (refund, merchant) = create_refund(&shop);
        assert_eq!(heading(&merchant.follow(&[("action", "approve"), ("name", name)])), shown, "{name}");
        assert_eq!(status(&shop, &refund), now, "{name}");
        html(&merchant.read(&merchant.path), 410);
        shop.advance_minutes(1);
        assert_eq!(status(&shop, &refund), later, "{name}");
    }
}

#[test]
fn a_refund_can_be_authorised_for_20_minutes() {
    let shop = Shop::open(shared());
    let (refund, merchant) = create_refund(&shop);
    shop.advance_minutes(19);
    let page = merchant.page();
    let wrong = html(&merchant.send(&page, &[("action", "approve"), ("name", "")]), 400);
    assert!(wrong.contains("Enter a name"), "{wrong}");
    html(&merchant.send(&page, &[("action", "continue")]), 400);
    shop.advance_minutes(1);
    html(&merchant.read(&merchant.path), 410);
    let late = merchant.send(&page, &[("action", "approve"), ("name", "Ada")]);
    assert_eq!(heading(&merchant.arrive(&late)), "Refund cancelled");
    assert_eq!(status(&shop, &refund), "CANCELLED");
}

#[test]
fn forms_of_other_refunds_and_of_other_sites_are_refused() {
    let shop = Shop::open(shared());
    let ((refund, merchant), (_, other)) = (create_refund(&shop), create_refund(&shop));
    let token = form_token(&other.page());
    html(&merchant.post(&[("action", "approve"), ("name", "Ada"), ("formToken", &token)]), 400);
    let body = format!("action=approve&name=Ada&formToken={}", form_token(&merchant.page()));
    for origin in [None, Some("null"), Some("https://evil.example")] {
        html(&merchant.post_from(origin, &body), 403);
    }
    // The token of a refund does not open a payer's page, and the token of a payer does not open a refund's page.
    html(&merchant.read(&merchant.path.replace("/refunds", "")), 404);
    assert_eq!(status(&shop, &refund), "AWAITING_AUTHORISATION");
    let page = merchant.page();
    let answers = together(4, |_| merchant.send(&page, &[("action", "approve"), ("name", "Ada")]));
    for answer in &answers {
        assert_eq!(heading(&merchant.arrive(answer)), "Refund approved");
    }
    assert_eq!(status(&shop, &refund), "COMPLETED");
}
