//! `/pay/{token}`: which forms are accepted, that each is accepted once, and the page of every refusal.

use serde_json::json;

use crate::support::assert::text;
use crate::support::http::exchange;
use crate::support::payer::{Payer, assert_headers, form_token, heading, html, urlencoded};
use crate::support::storefront::Shop;
use crate::support::{Client, Server, expect_json, shared, together};

#[test]
fn a_form_is_accepted_only_from_its_own_site() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let address = &shop.client.address;
    let body = urlencoded(&[("formToken", &form_token(&payer.page())), ("action", "cancel")]);
    let (own, secure) = (format!("http://{address}"), format!("https://{address}"));
    let foreign = format!("http://{address}.evil.example");
    for origin in [
        None,
        Some("null"),
        Some(""),
        Some("http://evil.example"),
        Some("http://127.0.0.1"),
        Some(foreign.as_str()),
        Some("127.0.0.1"),
    ] {
        let page = html(&payer.post_from(origin, &body), 403);
        assert!(page.contains("sent from another site"), "{origin:?}: {page}");
    }
    assert_eq!(shop.status(&session), "OPEN");
    // A proxy may end TLS in front of the server.
    for origin in [&secure, &own] {
        assert_eq!(payer.post_from(Some(origin), &body).status, 303, "{origin}");
    }
    assert_eq!(shop.status(&session), "CANCELLED");
}

#[test]
fn a_form_without_the_token_of_its_page_is_refused() {
    let shop = Shop::open(shared());
    let (session, other) = (shop.session(&json!({})), shop.session(&json!({})));
    let payer = Payer::of(&shop, &session);
    let own = form_token(&payer.page());
    let other = form_token(&Payer::of(&shop, &other).page());
    let (flipped, mixed) = (format!("{}0", &own[..63]), format!("{}{}", &own[..32], &other[32..]));
    let flipped = if flipped == own { format!("{}1", &own[..63]) } else { flipped };
    for token in ["", "x", &other, &flipped, &mixed, &own[..32], &own[1..], &"é".repeat(32), &"0".repeat(64)] {
        html(&payer.post(&[("formToken", token), ("action", "cancel")]), 400);
    }
    html(&payer.post(&[("action", "cancel")]), 400);
    assert_eq!(shop.status(&session), "OPEN");
}

#[test]
fn invalid_forms_are_refused() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let page = payer.page();
    for fields in [
        &[][..],
        &[("action", "")],
        &[("action", "pay")],
        &[("action", "cancel"), ("action", "cancel")],
        &[("action", "cancel"), ("other", "")],
        &[("action", "cancel"), ("name", "a\0")],
        &[("action", "approve"), ("name", "Ada")],
        &[("action", "address"), ("postcode", "SW1A1AA")],
        &[("action", "continue"), ("city", "London")],
    ] {
        let refused = html(&payer.send(&page, fields), 400);
        assert!(refused.contains(&format!("href=\"{}\"", payer.path)), "{fields:?}: {refused}");
    }
    for bank in ["", "x", "0123456789abcdef0123456789abcdef"] {
        let again = html(&payer.send(&page, &[("action", "choose"), ("bankId", bank)]), 400);
        assert_eq!(heading(&again), "Choose your bank", "{bank}");
        assert!(again.contains("There is a problem"), "{again}");
    }
    let origin = format!("http://{}", shop.client.address);
    html(&payer.post_from(Some(&origin), "formToken=%FF&action=cancel"), 400);
    html(&payer.post_from(Some(&origin), &format!("action=cancel&name={}", "x".repeat(16 * 1024))), 413);
    let call = payer_call(&shop.client, &payer).header("Origin", &origin);
    html(&call.header("Content-Type", "application/json").bytes("{}").send(), 415);
    assert_eq!((shop.status(&session).as_str(), shop.payments(&session).len()), ("OPEN", 0));
}

fn payer_call<'a>(client: &'a Client, payer: &Payer) -> crate::support::client::Call<'a> {
    client.call("POST", &format!("{}?", payer.path))
}

#[test]
fn errors_at_the_bank_are_shown_with_what_was_entered() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let bank = payer.choose(&shop);
    let (long, longest) = ("x".repeat(141), "x".repeat(140));
    for (fields, error) in [
        (&[("name", ""), ("action", "approve")][..], "Enter a name"),
        (&[("name", "  "), ("action", "reject")], "Enter a name"),
        (&[("name", &long), ("action", "approve")], "at most 140 characters"),
        (&[("name", "Ada"), ("action", "approve"), ("outcome", "pending"), ("afterMinutes", "0")], "whole number"),
        (&[("name", "Ada"), ("action", "approve"), ("outcome", "pending"), ("afterMinutes", "10081")], "whole number"),
        (&[("name", "time_out"), ("action", "approve"), ("afterMinutes", "1.5")], "whole number"),
    ] {
        let page = html(&payer.send(&bank, fields), 400);
        assert!(page.contains("There is a problem") && page.contains(error), "{fields:?}: {page}");
        assert_eq!(form_token(&page), form_token(&bank), "the form can be sent again");
    }
    html(&payer.send(&bank, &[("name", "Ada"), ("action", "approve"), ("outcome", "maybe")]), 400);
    assert_eq!((shop.status(&session).as_str(), shop.payments(&session)), ("OPEN", vec!["PENDING".to_owned()]));
    let fields = [("name", longest.as_str()), ("action", "approve"), ("outcome", "approve"), ("afterMinutes", "never")];
    assert_eq!(heading(&payer.arrive(&payer.send(&bank, &fields))), "Payment complete");
}

/// A form has no effect if it was sent before, or if another form was sent after the page was read.
#[test]
fn a_form_takes_effect_once() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let (summary, banks) = (payer.page(), payer.part("banks"));
    let choose = [("action", "choose"), ("bankId", text(&shop.bank, "/id"))];
    let bank = payer.arrive(&payer.send(&banks, &choose));
    for (page, fields) in
        [(&summary, &[("action", "cancel")][..]), (&banks, &choose), (&summary, &[("action", "continue")])]
    {
        assert_eq!(heading(&payer.arrive(&payer.send(page, fields))), "Approve the payment");
    }
    let reject = [("action", "reject"), ("name", "Ada")];
    assert_eq!(heading(&payer.arrive(&payer.send(&bank, &reject))), "The payment did not go through");
    // The first list of banks is outdated only because the number of payments has changed.
    for (page, fields) in [(&bank, &reject[..]), (&banks, &choose), (&bank, &[("action", "approve"), ("name", "Ada")])]
    {
        assert_eq!(heading(&payer.arrive(&payer.send(page, fields))), "The payment did not go through");
    }
    assert_eq!(shop.payments(&session), ["FAILED REJECTED_BY_BANK"]);
    let second = payer.choose(&shop);
    let approve = [("action", "approve"), ("name", "Ada")];
    assert_eq!(heading(&payer.arrive(&payer.send(&second, &approve))), "Payment complete");
    for page in [&second, &bank, &banks, &summary] {
        let again = payer.arrive(&payer.send(page, &approve));
        assert_eq!(heading(&again), "You have already paid");
        assert!(again.contains("You have not paid twice."), "{again}");
    }
    assert_eq!(shop.payments(&session), ["FAILED REJECTED_BY_BANK", "COMPLETED"]);
}

#[test]
fn of_the_forms_of_two_tabs_one_takes_effect() {
    let shop = Shop::open(shared());
    for actions in [["approve", "approve"], ["approve", "reject"], ["approve", "cancel"]] {
        let session = shop.session(&json!({}));
        let payer = Payer::of(&shop, &session);
        let bank = payer.choose(&shop);
        let answers = together(2, |tab| payer.send(&bank, &[("action", actions[tab]), ("name", "Ada")]));
        for answer in &answers {
            payer.arrive(answer);
        }
        let (status, payments) = (shop.status(&session), shop.payments(&session));
        let expected: &[(&str, &[&str])] =
            &[("COMPLETED", &["COMPLETED"]), ("OPEN", &["FAILED REJECTED_BY_BANK"]), ("CANCELLED", &["CANCELLED"])];
        assert!(
            expected.iter().any(|(of, rows)| *of == status && *rows == payments),
            "{actions:?}: {status} {payments:?}"
        );
    }
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let banks = payer.part("banks");
    let choose = [("action", "choose"), ("bankId", text(&shop.bank, "/id"))];
    let answers = together(6, |_| payer.send(&banks, &choose));
    assert!(answers.iter().all(|answer| answer.status == 303), "{answers:?}");
    assert_eq!(shop.payments(&session), ["PENDING"]);
}

#[test]
fn refusals_are_pages_with_the_same_headers() {
    let server = shared();
    let shop = Shop::open(server);
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    let anonymous = shop.client.with_authorization(None);
    let unknown = "/pay/0123456789abcdef0123456789abcdef";
    for path in
        ["/pay", "/pay/", unknown, "/pay/x", "/pay/%00", "/pay/refunds", "/pay/refunds/x", "/pay/a/b/c", "/%70ay/x"]
    {
        let page = html(&payer.read(path), 404);
        assert!(page.contains("Page not found") && page.contains("<html lang=\"en-GB\">"), "{path}: {page}");
    }
    for (method, path) in [("PUT", &payer.path), ("DELETE", &payer.path), ("PATCH", &payer.path)] {
        let answer = anonymous.call(method, &format!("{path}?")).send();
        html(&answer, 405);
        assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"), "{method}");
    }
    html(&anonymous.call("POST", "/pay/assets/pages.css?").bytes("").send(), 405);
    let origin = format!("http://{}", anonymous.address);
    let form =
        [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin.as_str()), ("Content-Length", "13")];
    let line = format!("POST {unknown}");
    html(&exchange(&anonymous.address, &line, &form, b"action=cancel"), 404);
    let head = exchange(&anonymous.address, &format!("HEAD {}", payer.path), &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_headers(&head);
    let sent = payer.press(&[("action", "continue")]);
    assert_headers(&sent);
    assert_eq!((sent.status, sent.header("cache-control")), (303, Some("no-store")));
}

/// Guesses of links of sessions and of refunds are counted together. 200 guesses of one kind are fewer than the limit.
#[test]
fn guesses_of_tokens_are_limited() {
    let server = Server::sandbox();
    let payer = {
        let shop = Shop::open(&server);
        Payer::of(&shop, &shop.session(&json!({})))
    };
    let guess = |number: usize| format!("/pay/{}{number:032x}", ["", "refunds/"][number % 2]);
    let refused = (0..400).map(|number| payer.read(&guess(number))).find(|answer| answer.status != 404);
    let refused = refused.expect("guesses are not limited");
    html(&refused, 429);
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    payer.page();
}

#[test]
fn a_deactivated_merchant_accepts_no_payments() {
    let shop = Shop::open(shared());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let body = json!({"status": "DEACTIVATED"}).to_string();
    expect_json(&shop.client.call("PATCH", "/v2/sandbox/merchant").json(body).send(), 200);
    assert_eq!(heading(&payer.page()), "Check your payment");
    html(&payer.press(&[("action", "continue")]), 410);
    assert_eq!(heading(&payer.follow(&[("action", "cancel")])), "Payment cancelled");
}

#[test]
fn tokens_are_not_logged() {
    let server = Server::sandbox();
    let shop = Shop::open(&server);
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    payer.pay_as(&shop, "Ada Lovelace");
    payer.read(&format!("{}/more", payer.path));
    let (token, log) = (payer.path.rsplit('/').next().unwrap().to_owned(), server.workspace().log());
    assert!(log.contains("/pay/{token}"), "{log}");
    assert!(!log.contains(&token) && !log.contains("Lovelace"), "{log}");
}

#[test]
fn a_page_refuses_too_many_forms() {
    let shop = Shop::open(shared());
    let (session, other) = (shop.session(&json!({})), shop.session(&json!({})));
    let payer = Payer::of(&shop, &session);
    let page = payer.page();
    // Forms without effect are counted, too. Meanwhile, the page may accept one more form per second.
    let refused =
        (0..600).map(|_| payer.send(&page, &[("action", "pay")])).find(|answer| answer.status != 400).unwrap();
    assert_eq!(heading(&html(&refused, 429)), "The service is busy");
    assert!(refused.header("retry-after").is_some_and(|wait| wait.parse::<u64>().is_ok_and(|wait| wait <= 60)));
    assert_eq!(payer.read(&payer.path).status, 200);
    assert_eq!(Payer::of(&shop, &other).press(&[("action", "cancel")]).status, 303);
}
