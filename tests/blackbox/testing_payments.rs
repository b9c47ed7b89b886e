//! docs/TESTING-PAYMENTS.md: every row of its tables is what happens.

use serde_json::{Value, json};

use crate::events::{events, name};
use crate::support::assert::text;
use crate::support::payer::{Payer, heading};
use crate::support::shop::{PAYMENTS, REFUNDS, SESSIONS};
use crate::support::storefront::Shop;
use crate::support::{Answer, expect_json, shared};

const DOCUMENT: &str = include_str!("../../docs/TESTING-PAYMENTS.md");

/// Returns the cells of the table of a section, without its head.
fn table(section: &str) -> Vec<Vec<&'static str>> {
    let start = format!("\n## {section}\n");
    let rest = DOCUMENT.split_once(&start).unwrap_or_else(|| panic!("no section {section}")).1;
    let section = rest.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.skip(1).map(|row| row.split(" | ").map(|cell| cell.trim_matches('`')).collect()).collect()
}

/// The new events of the shop's account.
struct News<'a>(&'a Shop, usize);

impl<'a> News<'a> {
    fn of(shop: &'a Shop) -> Self {
        Self(shop, events(&shop.client, "").len())
    }

    /// Returns the events since the last call, as the document writes them.
    fn next(&mut self) -> String {
        let all = events(&self.0.client, "");
        let new: Vec<_> = all[self.1..].iter().map(name).collect();
        self.1 = all.len();
        if new.is_empty() { "–".to_owned() } else { new.join(", ") }
    }
}

/// Sends the bank's form under a name, which decides. The button is another one.
fn sign_in(payer: &Payer, bank: &str, name: &str) -> Answer {
    payer.send(bank, &[("action", "approve"), ("name", name), ("afterMinutes", "3")])
}

#[test]
fn every_outcome_of_a_payment_is_as_documented() {
    let shop = Shop::open(shared());
    let rows = table("Payments");
    assert_eq!(rows.len(), 14, "{rows:?}");
    for row in &rows {
        let [outcome, when, page, session, payment, told] = row[..] else { panic!("{row:?}") };
        let lifetime = if when == "after `expiresAt" { 2 } else { 60 };
        let opened = shop.session(&json!({ "expiresInMinutes": lifetime }));
        let payer = Payer::of(&shop, &opened);
        let mut news = News::of(&shop);
        let mut shown = payer.arrive(&sign_in(&payer, &payer.choose(&shop), outcome));
        if when != "at once" {
            assert_eq!(news.next(), "–", "{row:?}");
            shop.wait_minutes(3);
            shown = payer.page();
        }
        let seen =
            [heading(&shown), &shop.status(&opened), &shop.payments(&opened).join(", "), &news.next()].join(" | ");
        assert_eq!(seen, [page, session, payment, told].join(" | "), "{row:?}");
        // Otherwise the clock of the next row would end this session, too.
        if session == "PROCESSING" {
            shop.wait_minutes(3);
        }
        if shop.status(&opened) == "OPEN" {
            let path = format!("{SESSIONS}/{}/cancel", text(&opened, "/id"));
            expect_json(&shop.client.post(&path, ""), 200);
        }
    }
}

#[test]
fn every_other_end_of_a_session_is_as_documented() {
    let shop = Shop::open(shared());
    let rows = table("Sessions that end without a bank");
    assert_eq!(rows.len(), 4, "{rows:?}");
    for row in &rows {
        let [what, page, status, told] = row[..] else { panic!("{row:?}") };
        let opened = shop.session(&json!({"expiresInMinutes": 5}));
        let payer = Payer::of(&shop, &opened);
        let mut news = News::of(&shop);
        match what {
            "the payer presses \"Cancel payment\"" => drop(payer.follow(&[("action", "cancel")])),
            "the merchant cancels" => {
                let path = format!("{SESSIONS}/{}/cancel", text(&opened, "/id"));
                expect_json(&shop.client.post(&path, ""), 200);
            }
            _ => {
                if what.ends_with("pressed a button") {
                    payer.choose(&shop);
                }
                shop.wait_minutes(5);
            }
        }
        let seen = [heading(&payer.page()), &shop.status(&opened), &news.next()].join(" | ");
        assert_eq!(seen, [page, status, told].join(" | "), "{row:?}");
        assert!(shop.payments(&opened).iter().all(|payment| payment == "CANCELLED"), "{row:?}");
    }
}

/// Creates a refund of 1.00 of a payment.
fn refund_of(shop: &Shop, payment: &str) -> Value {
    let body = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}});
    expect_json(&shop.client.post(&format!("{PAYMENTS}/{payment}/refunds"), body.to_string()), 201)
}

#[test]
fn every_outcome_of_a_refund_is_as_documented() {
    let shop = Shop::open(shared());
    let rows = table("Refunds");
    assert_eq!(rows.len(), 12, "{rows:?}");
    for row in &rows {
        let [outcome, when, page, status, payment, told] = row[..] else { panic!("{row:?}") };
        let sold = shop.session(&json!({}));
        Payer::of(&shop, &sold).pay_as(&shop, "approve");
        let paid = text(&shop.find(&sold), "/paymentId").to_owned();
        let refund = refund_of(&shop, &paid);
        let merchant = Payer::at(&shop.client, text(&refund, "/authorisationUrl"));
        let mut news = News::of(&shop);
        let shown = match when {
            "at once" => merchant.arrive(&sign_in(&merchant, &merchant.page(), outcome)),
            "later" => {
                merchant.arrive(&sign_in(&merchant, &merchant.page(), outcome));
                assert_eq!(news.next(), "–", "{row:?}");
                shop.wait_minutes(3);
                merchant.read(&merchant.path).text()
            }
            _ => {
                shop.wait_minutes(20);
                merchant.read(&merchant.path).text()
            }
        };
        let found = expect_json(&shop.client.get(&format!("{REFUNDS}/{}", text(&refund, "/id"))), 200);
        let list = format!("{PAYMENTS}?accountId={}&refundedPaymentId={paid}", shop.client.account);
        let line = expect_json(&shop.client.get(&list), 200)["rows"][0].clone();
        let reason = line["failureReason"].as_str().map(|reason| format!(" {reason}")).unwrap_or_default();
        let line = format!("{}{reason}", text(&line, "/status"));
        let seen = [heading(&shown), text(&found, "/status"), &line, &news.next()].join(" | ");
        assert_eq!(seen, [page, status, payment, told].join(" | "), "{row:?}");
        if ["CANCELLED", "FAILED"].contains(&status) {
            refund_of(&shop, &paid);
        }
        if status == "PENDING" {
            // Otherwise the bank would report in the next row.
            shop.wait_minutes(3);
        }
    }
}
