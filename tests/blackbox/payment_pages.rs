//! `/pay/{token}`: the page of each state of a session, and the actions of a payer on it.

use serde_json::json;

use crate::support::assert::text;
use crate::support::payer::{Payer, heading, html};
use crate::support::shop::{SESSIONS, TOP_UPS, basket};
use crate::support::storefront::Shop;
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{Server, demo, expect_json, shared};

#[test]
fn a_payer_pays_step_by_step() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({"description": "Two mugs", "basket": basket()}));
    let payer = Payer::of(&shop, &session);
    let summary = payer.page();
    assert_eq!(heading(&summary), "Check your payment");
    for part in ["£12.50", "Two mugs", "order-7", "Mug", "MUG-1", "£6.25", "You can pay until 1"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let banks = payer.follow(&[("action", "continue")]);
    assert_eq!(heading(&banks), "Choose your bank");
    assert!(banks.contains(text(&shop.bank, "/id")) && banks.contains("<svg class=\"code\""), "{banks}");
    assert_eq!(heading(&payer.page()), "Choose your bank", "the session has begun");
    let bank = payer.choose(&shop);
    assert_eq!(heading(&bank), "Approve the payment");
    let reference = text(&session, "/paymentReference");
    for part in [text(&shop.bank, "/name"), "£12.50", reference, "Simulated bank"] {
        assert!(bank.contains(part), "{part}: {bank}");
    }
    assert_eq!(shop.payments(&session), ["PENDING"]);
    let fields = [("action", "approve"), ("name", "Ada"), ("outcome", "approve"), ("afterMinutes", "1")];
    let receipt = payer.arrive(&payer.send(&bank, &fields));
    assert_eq!(heading(&receipt), "Payment complete");
    for part in [reference, "£12.50", "href=\"https://shop.example/paid\"", text(&shop.bank, "/name"), "Mug"] {
        assert!(receipt.contains(part), "{part}: {receipt}");
    }
    assert_eq!(shop.status(&session), "COMPLETED");
    assert_eq!(heading(&payer.page()), "Payment complete");
    assert_eq!(heading(&payer.part("banks")), "Payment complete");
}

#[test]
fn the_name_selects_the_outcome_at_the_bank() {
    let shop = Shop::open(shared());
    for (name, shown, status, payment) in [
        ("approve", "Payment complete", "COMPLETED", "COMPLETED"),
        ("reject", "The payment did not go through", "OPEN", "FAILED REJECTED_BY_BANK"),
        ("leave", "The payment did not go through", "OPEN", "CANCELLED"),
        ("pending", "Waiting for your bank", "PROCESSING", "PENDING"),
        ("fail_later", "Waiting for your bank", "PROCESSING", "PENDING"),
        ("time_out", "Waiting for your bank", "PROCESSING", "PENDING"),
        ("technical_error", "Waiting for your bank", "PROCESSING", "PENDING"),
    ] {
        let session = shop.session(&json!({}));
        let payer = Payer::of(&shop, &session);
        // The name decides, whichever button is pressed.
        for button in ["approve", "reject", "leave"] {
            if shop.status(&session) == "OPEN" {
                let bank = payer.choose(&shop);
                let page = payer.arrive(&payer.send(&bank, &[("action", button), ("name", name)]));
                assert_eq!(heading(&page), shown, "{name}, {button}");
                assert_eq!(shop.status(&session), status, "{name}, {button}");
                assert_eq!(shop.payments(&session).last().unwrap(), payment, "{name}, {button}");
            }
        }
    }
}

#[test]
fn the_bank_reports_later_by_the_clock_of_the_account() {
    let shop = Shop::open(shared());
    for (outcome, shown, status, expected_text) in [
        ("pending", "Payment complete", "COMPLETED", "Your bank confirmed"),
        ("fail_later", "The payment did not go through", "OPEN", "The payment was rejected at the bank."),
        ("time_out", "The payment did not go through", "OPEN", "did not confirm the payment in time"),
        ("technical_error", "The payment did not go through", "OPEN", "technical problem"),
    ] {
        let session = shop.session(&json!({}));
        let payer = Payer::of(&shop, &session);
        let bank = payer.choose(&shop);
        let fields = [("action", "approve"), ("name", "Ada"), ("outcome", outcome), ("afterMinutes", "7")];
        let waiting = payer.arrive(&payer.send(&bank, &fields));
        assert_eq!(heading(&waiting), "Waiting for your bank", "{outcome}");
        assert!(waiting.contains(&format!("href=\"{}\"", payer.path)) && !waiting.contains("http-equiv"), "{waiting}");
        shop.advance_minutes(6);
        assert_eq!(heading(&payer.page()), "Waiting for your bank", "{outcome}");
        shop.advance_minutes(1);
        let page = payer.page();
        assert_eq!(heading(&page), shown, "{outcome}");
        assert!(page.contains(expected_text), "{outcome}: {page}");
        assert_eq!(shop.status(&session), status, "{outcome}");
    }
}

#[test]
fn a_payer_tries_again_after_a_failure() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    assert!(payer.pay_as(&shop, "leave").contains("You left the bank"));
    assert!(payer.pay_as(&shop, "reject").contains("The payment was rejected at the bank."));
    let banks = payer.follow(&[("action", "continue")]);
    assert_eq!(heading(&banks), "Choose your bank");
    assert_eq!(heading(&payer.pay_as(&shop, "approve")), "Payment complete");
    assert_eq!(shop.payments(&session), ["CANCELLED", "FAILED REJECTED_BY_BANK", "COMPLETED"]);
}

#[test]
fn a_payer_cancels_before_and_at_the_banks() {
    let shop = Shop::open(shared());
    for at_banks in [false, true] {
        let session = shop.session(&json!({}));
        let payer = Payer::of(&shop, &session);
        if at_banks {
            payer.follow(&[("action", "continue")]);
        }
        let ended = payer.follow(&[("action", "cancel")]);
        assert_eq!(heading(&ended), "Payment cancelled");
        assert!(ended.contains("https://shop.example/paid") && !ended.contains("<form"), "{ended}");
        assert_eq!(shop.status(&session), "CANCELLED");
    }
}

/// A page shows the first items of a large basket, and the number of all further items.
#[test]
fn the_page_of_a_large_basket_is_small() {
    let shop = Shop::open(shared());
    let item = |number: u32| {
        let (name, sku) = (format!("Screw {number}"), format!("SCREW-{number}"));
        json!({"name": name, "quantity": 2, "unitPrice": "0.01", "sku": sku})
    };
    let basket = json!({"items": (1..=500).map(item).collect::<Vec<_>>()});
    let amount = json!({"amount": "10.00", "currencyCode": "GBP"});
    let session = shop.session(&json!({"basket": basket, "amount": amount}));
    let payer = Payer::of(&shop, &session);
    let summary = payer.page();
    let receipt = payer.pay_as(&shop, "approve");
    for page in [&summary, &receipt] {
        assert!(page.len() < 30_000, "{} bytes", page.len());
        let shown = page.matches("<bdi>Screw ").count();
        assert!((20..40).contains(&shown), "{shown}");
        let rest = 500 - shown;
        let row = format!(
            "<th scope=\"row\">and {rest} more items</th>\
            <td class=\"number\">{}</td><td class=\"number\">£{}.{:02}</td>",
            rest * 2,
            rest * 2 / 100,
            rest * 2 % 100
        );
        assert!(page.contains(&row) && page.contains("£10.00"), "{row}: {page}");
    }
}

#[test]
fn a_session_cannot_be_paid_after_its_time() {
    let shop = Shop::open(shared());
    let (fetched, begun) = (shop.session(&json!({})), shop.session(&json!({})));
    let payers = [&fetched, &begun].map(|session| Payer::of(&shop, session));
    // A link preview reads the page. This does not begin the session.
    payers[0].page();
    payers[1].follow(&[("action", "continue")]);
    let bank = payers[1].choose(&shop);
    let summary = payers[0].page();
    shop.advance_minutes(60);
    for (payer, form) in payers.iter().zip([&summary, &bank]) {
        let late = payer.send(form, &[("action", "approve"), ("name", "Ada")]);
        assert_eq!(heading(&payer.arrive(&late)), "The time to pay has run out");
        assert_eq!(heading(&payer.page()), "The time to pay has run out");
    }
    assert_eq!([&fetched, &begun].map(|session| shop.status(session)), ["EXPIRED", "ABANDONED"]);
    assert_eq!(shop.payments(&begun), ["CANCELLED"]);
}

#[test]
fn the_merchant_cancels_while_the_page_is_open() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let bank = payer.choose(&shop);
    let path = format!("{SESSIONS}/{}/cancel", text(&session, "/id"));
    expect_json(&shop.client.post(&path, "{}"), 200);
    let late = payer.send(&bank, &[("action", "approve"), ("name", "Ada")]);
    assert_eq!(heading(&payer.arrive(&late)), "Payment cancelled");
    assert_eq!(shop.payments(&session), ["CANCELLED"]);
}

#[test]
fn banks_can_be_searched() {
    let shop = Shop::open(shared());
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    let name = text(&shop.bank, "/name");
    let search = |query: &str| html(&payer.read(&format!("{}?q={query}", payer.path)), 200);
    let found = search(&name.to_uppercase().replace(' ', "+"));
    assert!(found.contains(&format!("value=\"{}\"", text(&shop.bank, "/id"))), "{found}");
    let none = search("zzz%22%3E%3Cscript%3E");
    assert!(none.contains("No bank matches your search.") && !none.contains("<script"), "{none}");
    assert!(none.contains(&format!("href=\"{}?show=banks\"", payer.path)), "{none}");
}

#[test]
fn pages_speak_the_language_of_the_session_or_of_the_browser() {
    let shop = Shop::open(shared());
    for (locale, accepted, language) in [
        (json!("cy-GB"), "en", "cy"),
        (json!("en-GB"), "cy", "en-GB"),
        (json!("fr"), "cy", "en-GB"),
        (json!(null), "cy;q=0.9, fr", "cy"),
        (json!(null), "en, cy", "en-GB"),
        (json!(null), "", "en-GB"),
    ] {
        let session = shop.session(&json!({"locale": locale}));
        let path = Payer::of(&shop, &session).path;
        let client = shop.client.with_authorization(None);
        let page = client.call("GET", &format!("{path}?")).header("Accept-Language", accepted).send();
        assert!(html(&page, 200).contains(&format!("<html lang=\"{language}\">")), "{locale} {accepted}");
    }
}

#[test]
fn texts_are_escaped_and_nothing_is_loaded_from_other_servers() {
    let shop = Shop::open(shared());
    let evil = "<script>alert(1)</script>\"'";
    let name = json!({"name": evil}).to_string();
    expect_json(&shop.client.call("PATCH", "/v2/merchant").json(name).send(), 200);
    let item = json!({
        "name": evil, "quantity": 1, "unitPrice": "12.50", "sku": evil, "imageUrl": "https://evil.example/x.png",
    });
    let more = json!({"description": evil, "merchantReference": evil, "basket": {"items": [item]}});
    let session = shop.session(&more);
    let payer = Payer::of(&shop, &session);
    let mut pages = vec![payer.page(), payer.part("banks"), payer.choose(&shop)];
    let bank = pages.last().unwrap();
    let wrong = payer.send(bank, &[("action", "approve"), ("name", &evil.repeat(9)), ("outcome", "approve")]);
    pages.push(html(&wrong, 400));
    pages.push(payer.pay_as(&shop, "pending"));
    for page in pages {
        assert!(!page.contains("<script") && page.contains("&#60;script&#62;"), "{page}");
        // These attributes say which URLs a browser loads, and where it sends forms.
        for attribute in [" src=\"", " action=\"", "<link rel=\"stylesheet\" href=\"", " srcset=\"", " style=\""] {
            for value in page.split(attribute).skip(1) {
                assert!(value.starts_with("/pay/"), "{attribute}: {page}");
            }
        }
        assert!(!page.contains("evil.example"), "{page}");
    }
}

#[test]
fn colours_come_in_a_style_sheet() {
    let shop = Shop::open(shared());
    let branding = json!({"branding": {"primaryColour": "#99004d"}}).to_string();
    expect_json(&shop.client.call("PATCH", "/v2/merchant").json(branding).send(), 200);
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    let page = payer.page();
    let styles: Vec<&str> =
        page.split("rel=\"stylesheet\" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(styles.len() == 2 && styles[1] == "/pay/theme/99004d-ffffff.css", "{styles:?}");
    for style in styles {
        let sheet = payer.read(style);
        crate::support::payer::assert_headers(&sheet);
        assert_eq!((sheet.status, sheet.header("content-type")), (200, Some("text/css; charset=utf-8")));
        assert_eq!(sheet.header("cache-control"), Some("public, max-age=31536000, immutable"), "{style}");
    }
    assert_eq!(payer.read("/pay/assets/pages.css?v=old").header("cache-control"), Some("no-cache"));
    html(&payer.read("/pay/assets/other.css"), 404);
    // White text on yellow cannot be read.
    html(&payer.read("/pay/theme/ffff00-ffffff.css"), 404);
}

/// The page shows colours and hides the logo of Florin only while the merchant has the permission.
#[test]
fn the_look_of_a_merchant_needs_a_permission() {
    let shop = Shop::open(shared());
    let branding = json!({"branding": {"primaryColour": "#99004d", "hideServiceLogo": true}}).to_string();
    expect_json(&shop.client.call("PATCH", "/v2/merchant").json(branding).send(), 200);
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    for (colours, logo) in [(true, true), (false, true), (true, false), (false, false), (true, true)] {
        let permissions = json!({"canCustomiseColours": colours, "canHideServiceLogo": logo});
        let change = json!({"brandingPermissions": permissions}).to_string();
        expect_json(&shop.client.call("PATCH", "/v2/sandbox/merchant").json(change).send(), 200);
        let page = payer.page();
        assert_eq!(page.contains("href=\"/pay/theme/99004d-ffffff.css\""), colours, "{page}");
        assert_eq!(page.contains("class=\"service\""), !logo, "{page}");
    }
}

#[test]
fn a_top_up_credits_its_budget() {
    let server = shared();
    let (client, budget) = (server.client(), demo().budget("GBP"));
    let body = json!({
        "budgetId": budget, "amount": {"amount": "20.00", "currencyCode": "GBP"}, "idempotencyKey": "page of a top-up",
    });
    let top_up = expect_json(&client.post(TOP_UPS, body.to_string()), 201);
    let payer = Payer::at(&client, text(&top_up, "/checkoutUrl"));
    assert_eq!(heading(&payer.page()), "Check your top-up");
    let shop = Shop::open(server);
    assert_eq!(heading(&payer.pay_as(&shop, "approve")), "Top-up complete");
    let found = expect_json(&client.get(&format!("{TOP_UPS}/{}", text(&top_up, "/id"))), 200);
    assert_eq!(found["status"], "COMPLETED", "{found}");
}

#[test]
fn a_restored_world_has_the_pages_of_its_snapshot() {
    let server = Server::sandbox();
    let shop = Shop::open(&server);
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let saved = snapshot(&shop.client);
    assert_eq!(heading(&payer.pay_as(&shop, "approve")), "Payment complete");
    let later = Payer::of(&shop, &shop.session(&json!({})));
    restore(&shop.client, &saved);
    assert_eq!(heading(&payer.page()), "Check your payment");
    html(&later.read(&later.path), 404);
    // A copy of the session in another world has its own page.
    let (_, copy) = create_world(&server, json!({"snapshotId": saved}));
    let copied = expect_json(&copy.get(SESSIONS), 200);
    let other = Payer::at(&copy, text(&copied, "/rows/0/checkoutUrl"));
    assert_ne!(other.path, payer.path);
    assert_eq!(heading(&other.follow(&[("action", "cancel")])), "Payment cancelled");
    assert_eq!(heading(&payer.page()), "Check your payment");
}
