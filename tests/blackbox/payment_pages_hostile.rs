//! `/pay/{token}` with hostile texts in every field that a page shows, and with hostile servers of shipping rates.

use std::thread;

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::{budget_of, new_budget, with};
use crate::support::payer::{Payer, heading, html};
use crate::support::receiver::Receiver;
use crate::support::shop::{PAYMENTS, SESSIONS, TOP_UPS, new_session};
use crate::support::storefront::Shop;
use crate::support::{CHECKOUTS, PAYEES, Server, expect_json, shared};

/// A text that leaves every context of HTML unless it is escaped, and reverses the direction of the text after it. It
/// begins with the name of its field.
macro_rules! evil {
    ($field:literal) => {
        concat!($field, "\u{202e}\"'><script>alert(1)</script>\u{2066}&\u{200f}\u{61c}")
    };
}

const EVIL: &str = evil!("");
/// The beginning of the hostile text on a page, where it is escaped.
const ESCAPED: &str = "&#34;&#39;&#62;&#60;script&#62;alert(1)";

/// Expects that a page shows these fields.
fn expect_shown(page: &str, fields: &[&str]) {
    for field in fields {
        assert!(page.contains(&format!("{field}{ESCAPED}")), "{field}: {page}");
    }
}

/// Expects that a page shows the hostile text, and only as text.
fn expect_harmless(page: &str) {
    expect_shown(page, &[""]);
    assert!(!page.contains("<script"), "{page}");
    let direction_marks =
        ['\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}'];
    assert!(!page.contains(direction_marks), "{page:?}");
}

fn rename(shop: &Shop) {
    let name = json!({"name": EVIL}).to_string();
    expect_json(&shop.client.call("PATCH", "/v2/merchant").json(name).send(), 200);
}

/// Returns fields with a hostile address.
fn address(action: &'static str) -> [(&'static str, &'static str); 8] {
    [
        ("action", action),
        ("recipientName", evil!("recipient")),
        ("addressLine1", evil!("first-line")),
        ("addressLine2", evil!("second-line")),
        ("city", evil!("city")),
        ("region", EVIL),
        ("postcode", "\"><b>\u{202e}"),
        ("countryCode", "GB"),
    ]
}

#[test]
fn no_text_of_a_purchase_changes_a_page() {
    let receiver = Receiver::start();
    let rate = json!([{"description": evil!("rate"), "amount": "1.00", "serviceCode": "\"><b>"}]);
    receiver.answer_with(&rate.to_string());
    let shop = Shop::with_options(shared(), &json!({"collectAddress": true, "dynamicRatesUrl": receiver.url()}));
    rename(&shop);
    let item =
        json!({"name": evil!("item"), "quantity": 1, "unitPrice": "12.50", "sku": evil!("sku"), "productId": EVIL});
    let order = json!({"description": evil!("description"), "merchantReference": evil!("reference")});
    let more = with(order, &json!({"basket": {"items": [item]}}));
    let session = shop.session(&more);
    let payer = Payer::of(&shop, &session);
    let mut pages = vec![payer.page(), payer.follow(&address("continue")), payer.part("address")];
    pages.push(html(&payer.press(&with_city(&address("continue"), "")), 400));
    pages.push(payer.follow(&[("action", "rate"), ("rate", "\"><b>")]));
    pages.extend([payer.page(), payer.part("rates"), payer.part("banks")]);
    expect_shown(&pages[0], &["description", "reference", "item", "sku"]);
    expect_shown(&pages[2], &["recipient", "first-line", "second-line", "city"]);
    expect_shown(&pages[6], &["rate"]);
    expect_shown(&pages[7], &["description", "reference"]);
    pages.extend([payer.pay_as(&shop, "reject"), payer.pay_as(&shop, "pending")]);
    shop.advance_minutes(1);
    pages.push(payer.page());
    let receipt = pages.last().unwrap();
    assert_eq!(heading(receipt), "Payment complete");
    expect_shown(receipt, &["description", "reference", "item", "sku", "rate", "recipient"]);
    for page in &pages {
        expect_harmless(page);
        assert!(!page.contains("<b>"), "{page}");
    }
    let refunds = format!("{PAYMENTS}/{}/refunds", text(&shop.find(&session), "/paymentId"));
    let body = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}, "reason": evil!("reason")});
    let refund = expect_json(&shop.client.post(&refunds, body.to_string()), 201);
    let page = Payer::at(&shop.client, text(&refund, "/authorisationUrl")).page();
    expect_harmless(&page);
    expect_shown(&page, &["reason"]);
}

fn with_city<'a>(fields: &[(&'a str, &'a str)], city: &'a str) -> Vec<(&'a str, &'a str)> {
    fields.iter().map(|(name, value)| (*name, if *name == "city" { city } else { value })).collect()
}

#[test]
fn no_name_of_a_payee_or_budget_changes_a_page() {
    let shop = Shop::open(shared());
    rename(&shop);
    let client = &shop.client;
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": "55779903"});
    let payee = json!({"name": EVIL, "currencyCode": "GBP", "bankDetails": details});
    let payee = expect_json(&client.post(PAYEES, payee.to_string()), 201);
    let checkout =
        json!({"type": "TOP_UP", "name": EVIL, "currencyCode": "GBP", "returnUrl": "https://shop.example/paid"});
    let checkout = expect_json(&client.post(CHECKOUTS, checkout.to_string()), 201);
    let change = json!({"type": "TOP_UP", "payeeId": payee["id"], "description": EVIL});
    let new = with(new_session(text(&checkout, "/id"), "payee"), &change);
    let to_payee = expect_json(&client.post(SESSIONS, new.to_string()), 201);
    let budget = budget_of(client, &new_budget(EVIL, &["GBP"]));
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    let new = json!({"budgetId": budget, "amount": amount, "idempotencyKey": "budget"});
    let to_budget = expect_json(&client.post(TOP_UPS, new.to_string()), 201);
    for session in [&to_payee, &to_budget] {
        let visitor = Payer::at(client, text(session, "/checkoutUrl"));
        for page in [visitor.page(), visitor.part("banks"), visitor.pay_as(&shop, "approve")] {
            expect_harmless(&page);
        }
    }
}

/// A spreadsheet must not execute a text that a payer or a merchant entered.
#[test]
fn the_export_of_payments_has_no_formulas() {
    let shop = Shop::open(shared());
    let references = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "=cmd|' /C calc'!A0", "\"=1\"", "a,=1"];
    for reference in references {
        let session = shop.session(&json!({"merchantReference": reference}));
        Payer::of(&shop, &session).pay_as(&shop, "approve");
    }
    let export = shop.client.get(&format!("{PAYMENTS}/export?accountId={}&sort=createdAt", shop.client.account));
    let body = export.text();
    let mut reader = csv::Reader::from_reader(body.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "merchantReference").unwrap();
    let cells: Vec<_> = reader.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert_eq!(cells, ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "''=1", "'=cmd|' /C calc'!A0", "\"=1\"", "a,=1"], "{body}");
}

const UNAVAILABLE: &str = "The delivery options could not be loaded";

fn with_rates_of(server: &Server, url: &str) -> Shop {
    Shop::with_options(server, &json!({"collectAddress": true, "dynamicRatesUrl": url}))
}

#[test]
fn rates_are_loaded_from_no_private_address() {
    let server = Server::sandbox();
    let urls = [
        "https://10.0.0.1/rates",
        "https://192.168.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fd00::1]/",
    ];
    for url in urls {
        let shop = with_rates_of(&server, url);
        let session = shop.session(&json!({}));
        let page = Payer::of(&shop, &session).follow(&address("continue"));
        assert!(page.contains(UNAVAILABLE) && !page.contains("not_allowed"), "{page}");
    }
    let log = server.workspace().log();
    assert_eq!(log.matches("target_not_allowed").count(), urls.len(), "{log}");
}

/// While a server of rates does not respond, only payers who need its rates wait.
#[test]
fn a_silent_server_of_rates_delays_no_other_payer() {
    let receiver = Receiver::start();
    receiver.hang(true);
    let shop = with_rates_of(shared(), &receiver.url());
    let letters = json!({"type": "SHOPPING", "name": "Letters", "currencyCode": "GBP",
        "returnUrl": "https://shop.example/paid"});
    let letters = text(&expect_json(&shop.client.post(CHECKOUTS, letters.to_string()), 201), "/id").to_owned();
    // On a machine that is very busy, the silence may be over before the other payer has paid.
    let overtakes = (1..=3).any(|attempt| {
        let (slow, quick) = (shop.session(&json!({})), shop.session(&json!({"checkoutId": letters})));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| Payer::of(&shop, &slow).follow(&address("continue")));
            receiver.wait_for(attempt);
            assert_eq!(heading(&Payer::of(&shop, &quick).pay_as(&shop, "approve")), "Payment complete");
            let is_waiting = !waiting.is_finished();
            let page = waiting.join().unwrap();
            assert!(page.contains(UNAVAILABLE), "{page}");
            is_waiting
        })
    });
    receiver.hang(false);
    assert!(overtakes, "the other payer of the account waited");
}

#[test]
fn answers_of_64_megabytes_and_other_currencies_are_no_rates() {
    let receiver = Receiver::start();
    let server = Server::sandbox();
    let shop = with_rates_of(&server, &receiver.url());
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    let rate = |more: Value| with(json!({"description": "Post", "amount": "1.00", "serviceCode": "a"}), &more);
    let own = json!([rate(json!({"currencyCode": "GBP"}))]);
    receiver.answer_with(&own.to_string());
    assert!(payer.follow(&address("continue")).contains("Delivery options"));
    let page = payer.page();
    let before = server.peak_memory();
    for answer in [
        format!("[{}]", " ".repeat(64 << 20)),
        json!([rate(json!({"description": "x".repeat(64 << 20)}))]).to_string(),
        json!([rate(json!({"currencyCode": "EUR"}))]).to_string(),
        json!([rate(json!({"currencyCode": "GBP"})), rate(json!({"currencyCode": "JPY", "serviceCode": "b"}))])
            .to_string(),
        json!([rate(json!({"amount": {"amount": "1.00", "currencyCode": "EUR"}}))]).to_string(),
        json!([rate(json!({"amount": "1.00 EUR"}))]).to_string(),
        json!([rate(json!({"amount": "€1.00"}))]).to_string(),
    ] {
        receiver.answer_with(&answer);
        let again = payer.arrive(&payer.send(&page, &[("action", "rate"), ("rate", "a")]));
        assert!(again.contains(UNAVAILABLE), "{}: {again}", &answer[..80.min(answer.len())]);
    }
    assert!(server.peak_memory() < before + 32, "an answer was kept in memory");
}
