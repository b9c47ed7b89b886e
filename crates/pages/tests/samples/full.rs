//! Samples of pages with as much as the API accepts. Their texts consist mostly of characters that HTML escapes, so the
//! pages are as large as possible.

use super::{PATH, REFERENCE, Sample, form, frame, item, order, shop, summary, time};
use florin_pages::{
    AddressField, AddressForm, AddressValues, BankChoice, ChooseBank, FieldError, Language, Lookup, Order, Page,
    RateChoice, Receipt, Shipping, ShippingRate, Shop, Step, Summary,
};

/// Returns the full pages, in one language.
pub(super) fn samples(language: Language) -> Vec<Sample> {
    let shop = Shop { name: text(64), return_policy_url: Some(url()), ..shop() };
    let page =
        |(name, page): (&str, Page)| Sample { name: name.into(), frame: frame(language, Some(shop.clone())), page };
    pages().into_iter().map(page).collect()
}

/// Returns a text of which HTML escapes every character.
fn text(length: usize) -> String {
    "&".repeat(length)
}

/// Returns a URL of the maximum length.
fn url() -> String {
    format!("https://shop.example.com/{}", "r".repeat(2_023))
}

fn shipping() -> Shipping {
    Shipping {
        address: [140, 100, 100, 100, 100, 16].map(text).into(),
        country_code: "GB".into(),
        rate: Some(ShippingRate { description: text(140), amount: super::gbp(395) }),
    }
}

/// Returns an order with the largest possible basket.
fn full_order() -> Order {
    let items = (0..500).map(|number| item(&format!("{number} {}", "&é".repeat(126)), Some(&text(64)), 2, 100));
    Order {
        items: items.collect(),
        description: Some(text(140)),
        reference: Some(text(128)),
        shipping: Some(shipping()),
        ..order()
    }
}

fn address(lookup: Lookup) -> Step {
    let values = AddressValues {
        recipient_name: text(140),
        address_line1: text(100),
        address_line2: text(100),
        city: text(100),
        region: text(100),
        postcode: text(16),
        country_code: "GB".into(),
    };
    let errors = AddressField::ALL.map(|field| (field, FieldError::TooLong(100))).into();
    Step::Address(Box::new(AddressForm { values, errors, lookup }))
}

fn rates() -> Step {
    let rate = |number| RateChoice {
        service_code: format!("{number}{}", text(62)),
        description: format!("{number} {}", text(130)),
        amount: super::gbp(100_000_000),
    };
    let rates: Vec<_> = (1..=50).map(rate).collect();
    Step::Rates { selected: rates.last().map(|rate| rate.service_code.clone()), rates, is_missing: true }
}

fn pages() -> Vec<(&'static str, Page)> {
    let with = |step| Page::Summary(Summary { order: full_order(), ..summary(step) });
    let found = (1..=100).map(|number| format!("{number} {}", text(120))).collect();
    let bank = |number| BankChoice { id: format!("{number:032x}"), name: format!("{number} {}", text(130)) };
    let banks = ChooseBank {
        form: form(),
        order: full_order(),
        query: text(140),
        banks: (1..=60).map(bank).collect(),
        matches: 60,
        is_missing: true,
        phone_url: Some(format!("https://pay.example.com{PATH}")),
    };
    let receipt = |return_url| {
        Page::Receipt(Receipt {
            order: full_order(),
            payment_reference: REFERENCE.into(),
            bank_name: text(140),
            paid_at: time(),
            return_url,
            is_repeated: false,
        })
    };
    vec![
        ("full_summary", with(Step::Confirm)),
        ("full_address", with(address(Lookup::NotFound))),
        ("full_found", with(address(Lookup::Found(found)))),
        ("full_rates", with(rates())),
        ("full_banks", Page::ChooseBank(banks)),
        ("full_receipt", receipt(Some(url()))),
    ]
}
