//! Plays every row of the tables in docs/TESTING-PAYMENTS.md.

use serde_json::json;

use crate::events::{events, name};
use crate::support::assert::text;
use crate::support::payer::{Payer, heading};
use crate::support::shop::{PAYMENTS, REFUNDS, SESSIONS, refund_one_pound};
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

/// Reads the events of the shop's account that are new. The number counts the events that were read.
struct NewEvents<'a>(&'a Shop, usize);

impl<'a> NewEvents<'a> {
    fn of(shop: &'a Shop) -> Self {
        Self(shop, events(&shop.client, "").len())
    }

    /// Returns the names of the events since the last call, as in the tables of the document.
    fn next(&mut self) -> String {
        let all = events(&self.0.client, "");
        let new: Vec<_> = all[self.1..].iter().map(name).collect();
        self.1 = all.len();
        if new.is_empty() { "–".to_owned() } else { new.join(", ") }
    }
}

/// Signs in on a bank's page under a name that selects the outcome. The button is always `approve`.
fn sign_in(payer: &Payer, page: &str, name: &str) -> Answer {
    payer.send(page, &[("action", "approve"), ("name", name), ("afterMinutes", "3")])
}

#[test]
fn every_outcome_of_a_payment_is_as_documented() {
    let shop = Shop::open(shared());
    let rows = table("Payments");
    assert_eq!(rows.len(), 14, "{rows:?}");
    for row in &rows {
        let [outcome, when, page, session_status, payment_status, event_names] = row[..] else { panic!("{row:?}") };
        let lifetime = if when == "after `expiresAt" { 2 } else { 60 };
        let session = shop.session(&json!({ "expiresInMinutes": lifetime }));
        let payer = Payer::of(&shop, &session);
        let mut new_events = NewEvents::of(&shop);
        let mut html = payer.arrive(&sign_in(&payer, &payer.choose(&shop), outcome));
        if when != "at once" {
            assert_eq!(new_events.next(), "–", "{row:?}");
            shop.advance_minutes(3);
            html = payer.page();
        }
        let actual = [heading(&html), &shop.status(&session), &shop.payments(&session).join(", "), &new_events.next()]
            .join(" | ");
        assert_eq!(actual, [page, session_status, payment_status, event_names].join(" | "), "{row:?}");
        // Otherwise the clock of the next row would end this session, too.
        if session_status == "PROCESSING" {
            shop.advance_minutes(3);
        }
        if shop.status(&session) == "OPEN" {
            let path = format!("{SESSIONS}/{}/cancel", text(&session, "/id"));
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
        let [cause, page, status, event_names] = row[..] else { panic!("{row:?}") };
        let session = shop.session(&json!({"expiresInMinutes": 5}));
        let payer = Payer::of(&shop, &session);
        let mut new_events = NewEvents::of(&shop);
        match cause {
            "the payer presses \"Cancel payment\"" => drop(payer.follow(&[("action", "cancel")])),
            "the merchant cancels" => {
                let path = format!("{SESSIONS}/{}/cancel", text(&session, "/id"));
                expect_json(&shop.client.post(&path, ""), 200);
            }
            _ => {
                if cause.ends_with("pressed a button") {
                    payer.choose(&shop);
                }
                shop.advance_minutes(5);
            }
        }
        let actual = [heading(&payer.page()), &shop.status(&session), &new_events.next()].join(" | ");
        assert_eq!(actual, [page, status, event_names].join(" | "), "{row:?}");
        assert!(shop.payments(&session).iter().all(|payment| payment == "CANCELLED"), "{row:?}");
    }
}

#[test]
fn every_outcome_of_a_refund_is_as_documented() {
    let shop = Shop::open(shared());
    let rows = table("Refunds");
    assert_eq!(rows.len(), 12, "{rows:?}");
    for row in &rows {
        let [outcome, when, page, status, payment_status, event_names] = row[..] else { panic!("{row:?}") };
        let session = shop.session(&json!({}));
        Payer::of(&shop, &session).pay_as(&shop, "approve");
        let paid = text(&shop.find(&session), "/paymentId").to_owned();
        let refund = refund_one_pound(&shop.client, &paid);
        let merchant = Payer::at(&shop.client, text(&refund, "/authorisationUrl"));
        let mut new_events = NewEvents::of(&shop);
        let html = match when {
            "at once" => merchant.arrive(&sign_in(&merchant, &merchant.page(), outcome)),
            "later" => {
                merchant.arrive(&sign_in(&merchant, &merchant.page(), outcome));
                assert_eq!(new_events.next(), "–", "{row:?}");
                shop.advance_minutes(3);
                merchant.read(&merchant.path).text()
            }
            _ => {
                shop.advance_minutes(20);
                merchant.read(&merchant.path).text()
            }
        };
        let found = expect_json(&shop.client.get(&format!("{REFUNDS}/{}", text(&refund, "/id"))), 200);
        let list = format!("{PAYMENTS}?accountId={}&refundedPaymentId={paid}", shop.client.account);
        let listed = expect_json(&shop.client.get(&list), 200)["rows"][0].clone();
        let reason = listed["failureReason"].as_str().map(|reason| format!(" {reason}")).unwrap_or_default();
        let listed = format!("{}{reason}", text(&listed, "/status"));
        let actual = [heading(&html), text(&found, "/status"), &listed, &new_events.next()].join(" | ");
        assert_eq!(actual, [page, status, payment_status, event_names].join(" | "), "{row:?}");
        if ["CANCELLED", "FAILED"].contains(&status) {
            refund_one_pound(&shop.client, &paid);
        }
        if status == "PENDING" {
            // Otherwise the bank would report in the next row.
            shop.advance_minutes(3);
        }
    }
}
