//! Compares the estimated size of each kind of row with the bytes that such a row adds to its page.

use super::{bank, render, summary};
use crate::language::Language;
use crate::view::{
    AddressForm, BankChoice, ChooseBank, Form, Frame, Item, Lookup, Order, Page, Purpose, RateChoice, Step, Summary,
};
use chrono::DateTime;
use florin_domain::money::{Currency, Minor, Money};

/// Length of each text of a row.
const TEXT: usize = 40;

fn text() -> String {
    "x".repeat(TEXT)
}

fn gbp(minor: i64) -> Money {
    Minor(minor).of(Currency::parse("GBP").unwrap())
}

fn form() -> Form {
    Form { path: "/pay/t".into(), token: "t".into() }
}

fn order(items: Vec<Item>) -> Order {
    Order { purpose: Purpose::Shopping, amount: gbp(1), description: None, reference: None, items, shipping: None }
}

fn summary_of(step: Step, items: Vec<Item>) -> Page {
    Page::Summary(Summary {
        form: form(),
        order: order(items),
        expires_at: DateTime::UNIX_EPOCH,
        step,
        change_address_path: None,
        change_rate_path: None,
    })
}

/// Returns the number of bytes that a third row adds to a page, apart from the texts of the row. `texts` is the
/// number of these texts.
fn added(texts: usize, page: impl Fn(usize) -> Page) -> usize {
    let frame = Frame { language: Language::English, root: "/pay".into(), shop: None, is_sandbox: true };
    let size = |rows| render(&frame, &page(rows)).len();
    size(3) - size(2) - texts * TEXT
}

fn addresses(rows: usize) -> Page {
    let form = AddressForm { lookup: Lookup::Found(vec![text(); rows]), ..AddressForm::default() };
    summary_of(Step::Address(Box::new(form)), Vec::new())
}

fn rates(rows: usize) -> Page {
    let rate = RateChoice { service_code: text(), description: text(), amount: gbp(10_000) };
    summary_of(Step::Rates { rates: vec![rate; rows], selected: None, is_missing: false }, Vec::new())
}

fn banks(rows: usize) -> Page {
    Page::ChooseBank(ChooseBank {
        form: form(),
        order: order(Vec::new()),
        query: String::new(),
        banks: vec![BankChoice { id: text(), name: text() }; rows],
        matches: rows,
        is_missing: false,
        phone_url: None,
    })
}

fn items(rows: usize) -> Page {
    let item =
        Item { name: text(), sku: Some(text()), quantity: 2, unit_price: gbp(10_000_000), line_total: gbp(20_000_000) };
    summary_of(Step::Confirm, vec![item; rows])
}

#[test]
fn an_estimate_is_at_least_the_size_of_a_row_and_at_most_twice_as_much() {
    let kinds = [
        ("address", summary::ADDRESS, added(1, addresses)),
        ("rate", summary::RATE, added(2, rates)),
        ("bank", bank::BANK, added(2, banks)),
        ("item", Order::ROW, added(2, items)),
    ];
    for (kind, estimate, real) in kinds {
        assert!((real..=2 * real).contains(&estimate), "{kind}: estimated {estimate} bytes, and takes {real}");
    }
}
