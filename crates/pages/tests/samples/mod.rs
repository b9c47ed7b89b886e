//! Samples of every page in every state, for the tests and the gallery.

mod full;

use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::merchant::Colour;
use florin_domain::money::{Currency, Minor, Money};
use florin_pages::{
    AddressField, AddressForm, AddressValues, Approval, BankChoice, BankFormError, BankLink, ChooseBank, Ended, Failed,
    FailureReason, FieldError, Form, Frame, Item, Language, Lookup, Order, Page, Problem, ProblemKind, Purpose,
    RateChoice, Receipt, RefundResult, Shipping, ShippingRate, Shop, SimulatedBankPage, Step, Summary, Theme, Waiting,
};

/// A page in one state.
pub(crate) struct Sample {
    /// The name of the sample. It can be part of a file name.
    pub(crate) name: String,
    pub(crate) frame: Frame,
    pub(crate) page: Page,
}

/// Returns the samples of all states, in one language.
pub(crate) fn samples(language: Language) -> Vec<Sample> {
    let mut samples: Vec<Sample> = pages()
        .into_iter()
        .map(|(name, page)| {
            let knows_shop = !matches!(&page, Page::Problem(problem) if problem.back_path.is_none());
            Sample { name: name.into(), frame: frame(language, knows_shop.then(shop)), page }
        })
        .collect();
    samples.extend(looks(language));
    samples.extend(full::samples(language));
    samples
}

pub(crate) fn frame(language: Language, shop: Option<Shop>) -> Frame {
    Frame { language, root: "/pay".into(), shop, is_sandbox: true }
}

pub(crate) fn shop() -> Shop {
    Shop {
        name: "Penarth Books & Prints".into(),
        logo_url: None,
        return_policy_url: Some("https://shop.example.com/returns".into()),
        theme: None,
        hide_service_logo: false,
    }
}

/// Returns the same page in other frames: colours, a logo, long and foreign texts, production.
fn looks(language: Language) -> Vec<Sample> {
    let colour = |text| Colour::parse(text).ok();
    let theme = |primary, background| Theme::new(colour(primary), colour(background));
    let shops = [
        ("look_green", Shop { theme: theme("#00703c", "#e8f3ec"), hide_service_logo: true, ..shop() }),
        ("look_black_on_orange", Shop { theme: theme("#000000", "#f47738"), ..shop() }),
        ("look_logo", Shop { logo_url: Some("/pay/logos/logo.png".into()), ..shop() }),
        (
            "look_long",
            Shop { name: "LlanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogochShop.co".into(), ..shop() },
        ),
        ("look_right_to_left", Shop { name: "متجر الكتب ١٢٣".into(), ..shop() }),
    ];
    let page = || Page::Summary(summary(Step::Confirm));
    let mut samples: Vec<Sample> = shops
        .into_iter()
        .map(|(name, shop)| Sample { name: name.into(), frame: frame(language, Some(shop)), page: page() })
        .collect();
    let production = Frame { is_sandbox: false, ..frame(language, Some(shop())) };
    samples.push(Sample { name: "look_production".into(), frame: production, page: page() });
    samples
}

fn pages() -> Vec<(&'static str, Page)> {
    let mut pages = summaries();
    pages.extend(banks());
    pages.extend(ends());
    let problem = |kind, back: Option<&str>| Page::Problem(Problem { kind, back_path: back.map(Into::into) });
    pages.extend([
        ("problem_not_found", problem(ProblemKind::NotFound, None)),
        ("problem_gone", problem(ProblemKind::Gone, None)),
        ("problem_invalid_form", problem(ProblemKind::InvalidForm, Some(PATH))),
        ("problem_foreign_form", problem(ProblemKind::ForeignForm, Some(PATH))),
        ("problem_invalid_request", problem(ProblemKind::InvalidRequest, Some(PATH))),
        ("problem_busy", problem(ProblemKind::Busy, Some(PATH))),
        ("problem_internal", problem(ProblemKind::Internal, Some(PATH))),
    ]);
    pages
}

const PATH: &str = "/pay/0123456789abcdef0123456789abcdef";

fn form() -> Form {
    Form { path: PATH.into(), token: "token-of-the-form".into() }
}

#[expect(clippy::expect_used, reason = "a sample")]
pub(crate) fn gbp(minor: i64) -> Money {
    Minor(minor).of(Currency::parse("GBP").expect("GBP is a currency"))
}

fn time() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_795_442_700)
}

fn item(name: &str, sku: Option<&str>, quantity: u32, unit: i64) -> Item {
    Item {
        name: name.into(),
        sku: sku.map(Into::into),
        quantity,
        unit_price: gbp(unit),
        line_total: gbp(unit * i64::from(quantity)),
    }
}

fn shipping(has_rate: bool) -> Shipping {
    Shipping {
        address: ["Ada Lovelace", "12 Stryd y Castell", "Caernarfon", "Gwynedd", "LL55 1SE"].map(Into::into).into(),
        country_code: "GB".into(),
        rate: has_rate.then(|| ShippingRate { description: "Royal Mail Tracked 48".into(), amount: gbp(395) }),
    }
}

pub(crate) fn order() -> Order {
    Order {
        purpose: Purpose::Shopping,
        amount: gbp(6_394),
        description: Some("Books and a print, order of 23 November".into()),
        reference: Some("WEB-2026-004211".into()),
        items: vec![
            item("The Mabinogion, illustrated edition", Some("978-0-19-921878-3"), 2, 1_450),
            item("Linocut “Harlech at dusk”, signed, 30 × 40 cm", Some("PR-118"), 1, 3_099),
            item("Gift wrapping", None, 1, 0),
        ],
        shipping: Some(shipping(true)),
    }
}

fn plain_order() -> Order {
    Order { items: Vec::new(), shipping: None, amount: gbp(1_250), ..order() }
}

pub(crate) fn summary(step: Step) -> Summary {
    let is_confirmed = step == Step::Confirm;
    let change = |part: &str| is_confirmed.then(|| format!("{PATH}?show={part}"));
    let shipping = match &step {
        Step::Confirm => Some(shipping(true)),
        Step::Address(_) => None,
        _ => Some(shipping(false)),
    };
    let amount = if is_confirmed { gbp(6_394) } else { gbp(5_999) };
    Summary {
        form: form(),
        order: Order { shipping, amount, ..order() },
        expires_at: time(),
        step,
        change_address_path: change("address"),
        change_rate_path: change("rates"),
    }
}

fn address(values: AddressValues, errors: Vec<(AddressField, FieldError)>, lookup: Lookup) -> Page {
    Page::Summary(summary(Step::Address(Box::new(AddressForm { values, errors, lookup }))))
}

fn summaries() -> Vec<(&'static str, Page)> {
    let empty = AddressValues::default;
    let filled = || AddressValues { recipient_name: "Ada Lovelace".into(), postcode: "LL55 1SE".into(), ..empty() };
    let errors = vec![
        (AddressField::RecipientName, FieldError::Missing),
        (AddressField::AddressLine2, FieldError::TooLong(100)),
        (AddressField::Postcode, FieldError::Invalid),
        (AddressField::CountryCode, FieldError::Invalid),
    ];
    let found = |addresses: usize, building: &str| {
        let address = |number| format!("{number} {building}Stryd y Castell, Caernarfon, LL55 1SE");
        Lookup::Found((1..=addresses).map(address).collect())
    };
    let rates = |selected: Option<&str>, is_missing| {
        let rates = [
            ("rm48", "Royal Mail Tracked 48", 395),
            ("rm24", "Royal Mail Tracked 24", 495),
            ("shop", "Collect from the shop", 0),
        ];
        let rate = |(code, name, minor): (&str, &str, i64)| RateChoice {
            service_code: code.into(),
            description: name.into(),
            amount: gbp(minor),
        };
        let rates = rates.into_iter().map(rate).collect();
        Page::Summary(summary(Step::Rates { rates, selected: selected.map(Into::into), is_missing }))
    };
    let plain = |order| {
        Page::Summary(Summary { order, change_address_path: None, change_rate_path: None, ..summary(Step::Confirm) })
    };
    vec![
        ("summary", Page::Summary(summary(Step::Confirm))),
        ("summary_plain", plain(plain_order())),
        (
            "summary_top_up",
            plain(Order { purpose: Purpose::TopUp, description: None, reference: None, ..plain_order() }),
        ),
        ("summary_address", address(empty(), Vec::new(), Lookup::Ready)),
        ("summary_address_found", address(filled(), Vec::new(), found(14, ""))),
        ("full_addresses", address(filled(), Vec::new(), found(100, "Castle Court, Lower Gate, "))),
        ("summary_address_not_found", address(filled(), Vec::new(), Lookup::NotFound)),
        ("summary_address_unavailable", address(filled(), Vec::new(), Lookup::Unavailable)),
        ("summary_address_off", address(filled(), Vec::new(), Lookup::Off)),
        ("summary_address_errors", address(empty(), errors, Lookup::Ready)),
        ("summary_rates", rates(Some("rm48"), false)),
        ("summary_rates_missing", rates(None, true)),
        ("summary_rates_unavailable", Page::Summary(summary(Step::RatesUnavailable))),
    ]
}

fn banks() -> Vec<(&'static str, Page)> {
    let names = [
        "Barclays",
        "Bank of Scotland",
        "Coutts",
        "First Direct",
        "Halifax",
        "HSBC UK",
        "Lloyds Bank",
        "Monzo",
        "Nationwide Building Society",
        "NatWest",
        "Principality Building Society",
        "Revolut",
        "Santander",
        "Starling Bank",
    ];
    let all: Vec<BankChoice> = names
        .iter()
        .enumerate()
        .map(|(number, name)| BankChoice { id: format!("{number:032x}"), name: (*name).into() })
        .collect();
    let choose = |query: &str, banks: &[BankChoice], matches, is_missing| {
        Page::ChooseBank(ChooseBank {
            form: form(),
            order: order(),
            query: query.into(),
            banks: banks.to_vec(),
            matches,
            is_missing,
            phone_url: (!is_missing).then(|| format!("https://pay.example.com{PATH}")),
        })
    };
    let simulated = |approval, name: &str, minutes: &str, errors| {
        Page::SimulatedBank(SimulatedBankPage {
            form: form(),
            bank_name: "Barclays".into(),
            approval,
            name: name.into(),
            outcome: "approve".into(),
            after_minutes: minutes.into(),
            errors,
        })
    };
    let payment = || Approval::Payment { amount: gbp(6_394), payment_reference: REFERENCE.into() };
    let refund = Approval::Refund {
        amount: gbp(1_450),
        payment_reference: REFERENCE.into(),
        reason: Some("One book arrived damaged".into()),
    };
    let link = |form, approval| {
        let url = "https://bank.example.com/approve?payment=7&from=florin".into();
        Page::BankLink(BankLink { form, bank_name: "Barclays".into(), approval, url })
    };
    vec![
        ("bank_link", link(Some(form()), payment())),
        ("bank_link_refund", link(None, refund.clone())),
        ("banks", choose("", &all, all.len(), false)),
        ("banks_search", choose("building", &[all[8].clone(), all[10].clone()], 2, false)),
        ("banks_none", choose("zz", &[], 0, false)),
        ("banks_cut", choose("", &all[..6], 214, false)),
        ("banks_missing", choose("", &all, all.len(), true)),
        ("simulated_payment", simulated(payment(), "", "1", Vec::new())),
        ("simulated_refund", simulated(refund, "", "1", Vec::new())),
        ("simulated_errors", simulated(payment(), "", "0", vec![BankFormError::NameMissing, BankFormError::Minutes])),
        ("simulated_name_too_long", simulated(payment(), "Ada", "1", vec![BankFormError::NameTooLong])),
    ]
}

const REFERENCE: &str = "RQ7H2KM4XA";

fn ends() -> Vec<(&'static str, Page)> {
    let return_url = || Some("https://shop.example.com/thanks".to_owned());
    let receipt = |order, is_repeated| {
        Page::Receipt(Receipt {
            order,
            payment_reference: REFERENCE.into(),
            bank_name: "Barclays".into(),
            paid_at: time(),
            return_url: return_url(),
            is_repeated,
        })
    };
    let failed = |reason| {
        let bank_name = "Barclays".into();
        Page::Failed(Failed { form: form(), amount: gbp(6_394), reason, bank_name, expires_at: time() })
    };
    let waiting = Waiting {
        path: PATH.into(),
        amount: gbp(6_394),
        bank_name: "Barclays".into(),
        payment_reference: REFERENCE.into(),
    };
    let authorised = RefundResult::Authorised { amount: gbp(1_450), payment_reference: REFERENCE.into() };
    vec![
        ("waiting", Page::Waiting(waiting)),
        ("receipt", receipt(order(), false)),
        ("receipt_top_up", receipt(Order { purpose: Purpose::TopUp, ..plain_order() }, false)),
        ("receipt_repeated", receipt(plain_order(), true)),
        ("failed_rejected", failed(FailureReason::RejectedByBank)),
        ("failed_left", failed(FailureReason::LeftBank)),
        ("failed_timed_out", failed(FailureReason::TimedOut)),
        ("failed_technical_error", failed(FailureReason::TechnicalError)),
        ("cancelled", Page::Ended(Ended::Cancelled { return_url: return_url() })),
        ("expired", Page::Ended(Ended::Expired { return_url: return_url() })),
        ("refund_authorised", Page::RefundResult(authorised)),
        ("refund_cancelled", Page::RefundResult(RefundResult::Cancelled)),
    ]
}
