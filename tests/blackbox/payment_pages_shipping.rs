//! `/pay/{token}`: the shipping address, and the rates of the merchant.

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::with;
use crate::support::payer::{Payer, form_token, heading, html};
use crate::support::receiver::Receiver;
use crate::support::shop::{SESSIONS, SHIPPING_FIELDS, new_session};
use crate::support::storefront::Shop;
use crate::support::{Server, demo, expect_fault, shared};

/// Returns the fields of an address with one value replaced, and the button.
fn address<'a>(field: &'a str, value: &'a str, action: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![("action", action)];
    fields.extend(SHIPPING_FIELDS.iter().map(|(name, own)| (*name, if *name == field { value } else { own })));
    fields
}

/// Creates a shop whose page asks for an address.
fn collecting_addresses() -> Shop {
    Shop::with_options(shared(), &json!({"collectAddress": true}))
}

#[test]
fn the_address_is_entered_first() {
    let shop = collecting_addresses();
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let page = payer.page();
    assert!(page.contains("Delivery address") && page.contains("name=\"recipientName\""), "{page}");
    // The page cannot be left without an address.
    assert!(payer.part("banks").contains("Delivery address"));
    let choose = payer.send(&page, &[("action", "choose"), ("bankId", text(&shop.bank, "/id"))]);
    assert!(payer.arrive(&choose).contains("Delivery address"));
    let confirm = payer.follow(&address("", "", "continue"));
    for part in ["Ada Lovelace", "12 St James&#39;s Square", "SW1Y 4JH", "United Kingdom", "?show=address"] {
        assert!(confirm.contains(part), "{part}: {confirm}");
    }
    let expected = json!({
        "recipientName": "Ada Lovelace", "addressLine1": "12 St James's Square", "addressLine2": null,
        "city": "London", "region": null, "postcode": "SW1Y 4JH", "countryCode": "GB", "rate": null,
    });
    assert_eq!(shop.find(&session)["shipping"], expected);
    // The address can be changed.
    let change = payer.part("address");
    assert!(change.contains("value=\"Ada Lovelace\""), "{change}");
    let changed = payer.send(&change, &address("city", "Leeds", "continue"));
    assert!(payer.arrive(&changed).contains("Leeds"));
    // The earlier form has no effect.
    payer.arrive(&payer.send(&change, &address("city", "York", "continue")));
    assert_eq!(shop.find(&session)["shipping"]["city"], "Leeds");
    assert_eq!(heading(&payer.pay_as(&shop, "approve")), "Payment complete");
}

#[test]
fn wrong_addresses_are_shown_with_their_errors() {
    let shop = collecting_addresses();
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let long = "x".repeat(141);
    for (field, value, error) in [
        ("recipientName", "", "Enter the full name"),
        ("recipientName", long.as_str(), "use at most 140 characters"),
        ("addressLine1", " ", "Enter the first line of the address"),
        ("addressLine2", &long[..101], "use at most 100 characters"),
        ("city", "", "Enter the town or city"),
        ("region", &long[..101], "use at most 100 characters"),
        ("postcode", "", "Enter the postcode"),
        ("postcode", &long[..17], "use at most 16 characters"),
        ("countryCode", "XX", "Choose a country from the list"),
        ("countryCode", "", "Choose the country"),
    ] {
        let page = html(&payer.press(&address(field, value, "continue")), 400);
        assert!(page.contains("There is a problem") && page.contains(error), "{field} {value:?}: {page}");
        assert!(field == "recipientName" || page.contains("value=\"Ada Lovelace\""), "{page}");
    }
    let page = html(&payer.press(&[("action", "continue")]), 400);
    assert_eq!(page.matches("class=\"field wrong\"").count(), 5, "{page}");
    assert_eq!(shop.find(&session)["shipping"], Value::Null);
}

#[test]
fn a_postcode_finds_addresses() {
    let shop = collecting_addresses();
    let payer = Payer::of(&shop, &shop.session(&json!({})));
    let postcode = demo().postcodes().swap_remove(0);
    let list = html(&payer.press(&address("postcode", &postcode, "address")), 200);
    assert!(list.contains("name=\"found\" value=\"0\"") && list.contains("value=\"Ada Lovelace\""), "{list}");
    let mut fields = address("postcode", &postcode, "address");
    fields.extend([("found", "0"), ("foundFor", postcode.as_str())]);
    let filled = html(&payer.send(&list, &fields), 200);
    assert!(!filled.contains("name=\"found\"") && !filled.contains("12 St James&#39;s Square"), "{filled}");
    assert!(filled.contains("value=\"Ada Lovelace\"") && form_token(&filled) == form_token(&list), "{filled}");
    // Another postcode starts a new search, even if an address is selected.
    let mut fields = address("postcode", "ZE3 9ZZ", "address");
    fields.extend([("found", "0"), ("foundFor", postcode.as_str())]);
    assert!(html(&payer.send(&list, &fields), 200).contains("We found no addresses at this postcode."));
    let mut fields = address("postcode", &postcode, "address");
    fields.extend([("found", "999"), ("foundFor", postcode.as_str())]);
    html(&payer.send(&list, &fields), 400);
    assert!(html(&payer.press(&address("postcode", "!", "address")), 400).contains("Enter a valid postcode"));
}

/// The first button that a payer presses begins the session, whichever it is. Forms that were shown before stay valid.
#[test]
fn any_first_button_begins_the_session() {
    let shop = collecting_addresses();
    let postcode = demo().postcodes().swap_remove(0);
    let lookup = address("postcode", &postcode, "address");
    let wrong = address("city", "", "continue");
    for (first, status) in [(&lookup, 200), (&wrong, 400)] {
        let session = shop.session(&json!({}));
        let payer = Payer::of(&shop, &session);
        let (tab, other) = (payer.page(), payer.page());
        assert_eq!(form_token(&html(&payer.send(&tab, first), status)), form_token(&other));
        assert!(payer.arrive(&payer.send(&other, &address("", "", "continue"))).contains("Ada Lovelace"));
        let (begun, fetched) = (shop.session(&json!({})), shop.session(&json!({})));
        html(&Payer::of(&shop, &begun).press(first), status);
        Payer::of(&shop, &fetched).page();
        // A form without the page's form token is refused.
        html(&Payer::of(&shop, &fetched).post(first), 400);
        shop.advance_minutes(60);
        assert_eq!([&begun, &fetched].map(|session| shop.status(session)), ["ABANDONED", "EXPIRED"], "{first:?}");
    }
}

/// The postcode lookup of the page needs the feature of the merchant's client, like the lookup of the API.
#[test]
fn without_the_feature_the_address_is_entered_by_hand() {
    let server = Server::sandbox();
    let clients = server.workspace().json(&["clients", "list", "--json"]);
    let owner = clients["rows"].as_array().unwrap().iter().find(|row| row["name"] == "demo").unwrap();
    let switch = |action| {
        let arguments = ["features", action, "addresses-lookup", "--client", text(owner, "/id")];
        assert!(server.workspace().run(&arguments).status.success());
    };
    let shop = Shop::with_options(&server, &json!({"collectAddress": true}));
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let postcode = demo().postcodes().swap_remove(0);
    let find = "value=\"address\"";
    let with_button = payer.page();
    assert!(with_button.contains(find), "{with_button}");

    switch("disable");
    assert!(!payer.page().contains(find));
    // The action `address` is refused, although the page was shown before the feature was disabled.
    let refused = html(&payer.send(&with_button, &address("postcode", &postcode, "address")), 400);
    let entered = format!("value=\"{postcode}\"");
    assert!(!refused.contains(find) && !refused.contains("name=\"found\"") && refused.contains(&entered), "{refused}");
    assert!(!html(&payer.press(&address("city", "", "continue")), 400).contains(find));
    let confirm = payer.follow(&address("", "", "continue"));
    assert!(confirm.contains("Ada Lovelace") && !payer.part("address").contains(find), "{confirm}");

    switch("enable");
    let list = html(&payer.send(&payer.part("address"), &address("postcode", &postcode, "address")), 200);
    assert!(list.contains("name=\"found\""), "{list}");
}

/// Starts a server of rates with this answer, and creates a shop that uses it.
fn with_rates(answer: &Value) -> (Shop, Receiver) {
    let receiver = Receiver::start();
    receiver.answer_with(&answer.to_string());
    let options = json!({"collectAddress": true, "dynamicRatesUrl": receiver.url()});
    (Shop::with_options(shared(), &options), receiver)
}

fn rates() -> Value {
    json!([
        {"description": "Second class", "amount": "0", "serviceCode": "slow"},
        {"description": "Next day <b>", "amount": "3.50", "serviceCode": "fast", "preSelected": true, "more": [1]},
    ])
}

#[test]
fn the_merchant_offers_rates() {
    let (shop, receiver) = with_rates(&rates());
    let item = json!({"name": "Mug", "quantity": 2, "unitPrice": "6.25"});
    let session = shop.session(&json!({"basket": {"items": [item]}}));
    let payer = Payer::of(&shop, &session);
    let page = payer.follow(&address("", "", "continue"));
    assert!(
        page.contains("Delivery options") && page.contains("Next day &#60;b&#62;") && page.contains("£3.50"),
        "{page}"
    );
    assert!(page.contains("value=\"fast\" checked"), "{page}");
    let asked: Value = serde_json::from_str(&receiver.wait_for(1)[0].body).unwrap();
    let basket = json!({"items": [{
        "name": "Mug", "quantity": 2, "unitPrice": "6.25", "sku": null, "productId": null, "taxRate": null,
        "imageUrl": null,
    }]});
    let to = json!({
        "recipientName": "Ada Lovelace", "addressLine1": "12 St James's Square", "addressLine2": null,
        "city": "London", "region": null, "postcode": "SW1Y 4JH", "countryCode": "GB",
    });
    let expected = json!({"rate": {
        "destinationAddress": to, "basket": basket, "merchantReference": "order-7", "checkoutSessionId": session["id"],
    }});
    assert_eq!(asked, expected);
    // The banks are not shown before a rate is chosen.
    assert!(payer.part("banks").contains("Delivery options"));
    for rate in ["", "express"] {
        let again = html(&payer.press(&[("action", "rate"), ("rate", rate)]), 400);
        assert!(again.contains("Choose a delivery option"), "{again}");
    }
    let confirm = payer.follow(&[("action", "rate"), ("rate", "fast")]);
    assert!(confirm.contains("£16.00") && confirm.contains("?show=rates"), "{confirm}");
    let found = shop.find(&session);
    assert_eq!(
        (&found["amount"]["amount"], &found["shipping"]["rate"]["serviceCode"]),
        (&json!("16.00"), &json!("fast"))
    );
    // After a change of the address, the rate must be chosen again.
    let other = payer.send(&payer.part("rates"), &[("action", "rate"), ("rate", "slow")]);
    assert!(payer.arrive(&other).contains("£12.50"));
    let moved = payer.send(&payer.part("address"), &address("city", "Leeds", "continue"));
    assert!(payer.arrive(&moved).contains("Delivery options"));
    payer.follow(&[("action", "rate"), ("rate", "fast")]);
    assert_eq!(heading(&payer.pay_as(&shop, "approve")), "Payment complete");
    assert_eq!(shop.find(&session)["amount"]["amount"], "16.00");
}

/// A rate that is no longer offered, or has another price now, is not accepted.
#[test]
fn a_rate_is_checked_again_when_it_is_chosen() {
    let (shop, receiver) = with_rates(&rates());
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    payer.follow(&address("", "", "continue"));
    let page = payer.page();
    receiver.answer_with(&json!([{"description": "Next day", "amount": "5.00", "serviceCode": "fast"}]).to_string());
    html(&payer.send(&page, &[("action", "rate"), ("rate", "slow")]), 400);
    let confirm = payer.arrive(&payer.send(&page, &[("action", "rate"), ("rate", "fast")]));
    assert!(confirm.contains("£17.50"), "{confirm}");
}

#[test]
fn rates_that_cannot_be_loaded_are_requested_again() {
    let (shop, receiver) = with_rates(&json!([]));
    let session = shop.session(&json!({}));
    let payer = Payer::of(&shop, &session);
    let unavailable = |page: &str| page.contains("The delivery options could not be loaded");
    assert!(unavailable(&payer.follow(&address("", "", "continue"))));
    let rate = |amount: &str| json!([{"description": "Post", "amount": amount, "serviceCode": "a"}]).to_string();
    let twice = json!([rates()[0], rates()[0]]).to_string();
    let long = json!([{"description": "x".repeat(141), "amount": "1.00", "serviceCode": "a"}]).to_string();
    let large =
        json!([{"description": "Post", "amount": "1.00", "serviceCode": "a", "x": "x".repeat(65_536)}]).to_string();
    for answer in [
        "",
        "{}",
        "null",
        "[1]",
        &twice,
        &long,
        &large,
        &rate("1.001"),
        &rate("-1.00"),
        &rate("1000000.00"),
        &rate("x"),
        r#"[{"description": "Post", "amount": 1, "serviceCode": "a"}]"#,
        r#"[{"description": "Post", "amount": "1.00"}]"#,
        r#"[{"description": "Post", "amount": "1.00", "serviceCode": "a "}]"#,
        r#"[{"description": "Post", "amount": "1.00", "serviceCode": "a\u200e"}]"#,
    ] {
        receiver.answer_with(answer);
        assert!(unavailable(&payer.page()), "{answer}");
    }
    receiver.answer_with(&rates().to_string());
    let page = payer.page();
    for status in [302, 404, 500] {
        receiver.answer(status, "Location: /other\r\n");
        assert!(unavailable(&payer.arrive(&payer.send(&page, &[("action", "rate"), ("rate", "fast")]))), "{status}");
    }
    receiver.answer(200, "");
    assert!(payer.follow(&[("action", "rates")]).contains("Next day"));
    assert_eq!(shop.find(&session)["shipping"]["rate"], Value::Null);
}

/// Payers can always correct the address, which removes the rate. So a session whose amount is only the rate is
/// refused.
#[test]
fn a_rate_that_can_change_is_below_the_amount() {
    let (shop, _receiver) = with_rates(&rates());
    let shipping = |amount: &str| {
        json!({"shipping": {
            "recipientName": "Ada", "addressLine1": "1 High Street", "city": "York", "postcode": "YO1 7HU",
            "countryCode": "GB", "rate": {"description": "Post", "amount": amount},
        }})
    };
    for amount in ["12.50", "13.00"] {
        let body = with(new_session(&shop.checkout, amount), &shipping(amount)).to_string();
        expect_fault(&shop.client.post(SESSIONS, body), 400, "body.shipping.rate.amount", "invalid_value");
    }
    let session = shop.session(&shipping("12.49"));
    let payer = Payer::of(&shop, &session);
    let moved = payer.send(&payer.part("address"), &address("city", "Leeds", "continue"));
    assert!(payer.arrive(&moved).contains("Delivery options"));
    assert_eq!(shop.find(&session)["amount"]["amount"], "0.01");
}

/// The merchant's own rate stays when the payer corrects the address.
#[test]
fn a_corrected_address_keeps_a_fixed_rate() {
    let shop = collecting_addresses();
    let shipping = json!({
        "recipientName": "Ada", "addressLine1": "1 High Street", "city": "York", "postcode": "YO1 7HU",
        "countryCode": "GB", "rate": {"description": "Post", "amount": "2.50"},
    });
    let session = shop.session(&json!({"shipping": shipping}));
    let payer = Payer::of(&shop, &session);
    let confirm = payer.arrive(&payer.send(&payer.part("address"), &address("", "", "continue")));
    assert!(confirm.contains("£12.50") && confirm.contains("£2.50"), "{confirm}");
    let found = shop.find(&session);
    assert_eq!((&found["amount"]["amount"], &found["shipping"]["rate"]["amount"]), (&json!("12.50"), &json!("2.50")));
}
