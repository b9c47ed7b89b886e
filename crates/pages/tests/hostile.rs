//! Checks that no text of a merchant, a payer or a browser can change the structure of a page.

#[expect(dead_code, reason = "another test uses the rest")]
mod samples;

use florin_pages::{
    AddressForm, AddressValues, Approval, BankChoice, ChooseBank, Form, Item, Language, Lookup, Order, Page,
    RateChoice, Receipt, Shipping, ShippingRate, Shop, SimulatedBankPage, Step, Summary, render,
};
use samples::{frame, gbp, order, shop, summary};

/// A text that breaks out of every HTML context unless it is escaped. `name` identifies it in the result.
fn hostile(name: &str) -> String {
    format!("{name}\u{202e}\u{7}\"'><script>alert(1)</script><b x='\u{2066}&")
}

fn hostile_order() -> Order {
    Order {
        description: Some(hostile("description")),
        reference: Some(hostile("reference")),
        items: vec![Item {
            name: hostile("item"),
            sku: Some(hostile("sku")),
            quantity: 2,
            unit_price: gbp(1),
            line_total: gbp(2),
        }],
        shipping: Some(Shipping {
            address: vec![hostile("line")],
            country_code: hostile("country"),
            rate: Some(ShippingRate { description: hostile("rate"), amount: gbp(1) }),
        }),
        ..order()
    }
}

fn hostile_pages() -> Vec<(Page, &'static [&'static str])> {
    let form = || Form { path: hostile("/path"), token: hostile("token") };
    let page_with = |step| Page::Summary(Summary { form: form(), order: hostile_order(), ..summary(step) });
    let values = AddressValues {
        recipient_name: hostile("recipient"),
        address_line1: hostile("first"),
        address_line2: hostile("second"),
        city: hostile("city"),
        region: hostile("region"),
        postcode: hostile("postcode"),
        country_code: hostile("code"),
    };
    let address = AddressForm { values, errors: Vec::new(), lookup: Lookup::Found(vec![hostile("found")]) };
    let rate = RateChoice { service_code: hostile("service"), description: hostile("choice"), amount: gbp(1) };
    let banks = ChooseBank {
        form: form(),
        order: hostile_order(),
        query: hostile("query"),
        banks: vec![BankChoice { id: hostile("bank"), name: hostile("name") }],
        matches: 1,
        is_missing: true,
        phone_url: Some(hostile("https://")),
    };
    let refund =
        Approval::Refund { amount: gbp(1), payment_reference: hostile("paid"), reason: Some(hostile("reason")) };
    let simulated = SimulatedBankPage {
        form: form(),
        bank_name: hostile("bank"),
        approval: refund,
        name: hostile("name"),
        outcome: hostile("outcome"),
        after_minutes: hostile("minutes"),
        errors: Vec::new(),
    };
    let receipt = Receipt {
        order: hostile_order(),
        payment_reference: hostile("paid"),
        bank_name: hostile("bank"),
        paid_at: summary(Step::Confirm).expires_at,
        return_url: Some(hostile("https://return")),
        is_repeated: false,
    };
    vec![
        (
            page_with(Step::Confirm),
            &["/path", "token", "description", "reference", "item", "sku", "line", "country", "rate"],
        ),
        (
            page_with(Step::Address(Box::new(address))),
            &["recipient", "first", "second", "city", "region", "postcode", "found"],
        ),
        (page_with(Step::Rates { rates: vec![rate], selected: None, is_missing: false }), &["service", "choice"]),
        (Page::ChooseBank(banks), &["/path", "token", "query", "bank", "name", "description"]),
        (Page::SimulatedBank(simulated), &["/path", "token", "bank", "name", "paid", "reason", "minutes"]),
        (Page::Receipt(receipt), &["paid", "bank", "https://return", "item"]),
    ]
}

#[test]
fn every_text_is_escaped_and_has_no_controls() {
    let shop = Shop {
        name: hostile("shop"),
        logo_url: Some(hostile("logo")),
        return_policy_url: Some(hostile("policy")),
        ..shop()
    };
    let escaped = |name: &str| {
        let text = "&#34;&#39;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#60;b x=&#39;&#38;";
        format!("{name}{text}")
    };
    for language in Language::ALL {
        for (page, names) in hostile_pages() {
            let html = render(&frame(language, Some(shop.clone())), &page);
            let is_bank = matches!(page, Page::SimulatedBank(_));
            let names = names.iter().copied().chain(["shop", "policy"]).chain((!is_bank).then_some("logo"));
            for name in names.filter(|name| !is_bank || *name != "shop") {
                assert!(html.contains(&escaped(name)), "{name}:\n{html}");
            }
            assert!(!html.contains("<script") && !html.contains("<b "), "{html}");
            let is_control = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{2069}').contains(&c);
            assert!(!html.contains(is_control), "{html:?}");
        }
    }
}
