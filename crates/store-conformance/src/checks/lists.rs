//! Checks of checkouts, banks and addresses: order, pages and counts.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::same;
use crate::factory::Handle;
use crate::seed_data::{BOTH, Who, bank, checkout, noon, seed_data, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::address::{Address, UkPostcode};
use florin_domain::ids::SettlementAccountId;
use florin_domain::merchant::{
    Bank, Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType, Locale, ShippingOptions, WebUrl,
};
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};

checks! {
    "checkouts.list.newest_first_then_by_id" => newest_first,
    "checkouts.list.pages_do_not_overlap_under_equal_times" => pages_do_not_overlap,
    "checkouts.list.count_ignores_the_page" => count_ignores_the_page,
    "checkouts.list.filters_by_type_and_status" => filters_by_type_and_status,
    "checkouts.list.keeps_every_field" => every_field,
    "checkouts.list.shows_one_account_only" => one_account_only,
    "banks.list.by_code_points_of_the_name_then_by_id" => banks_in_order,
    "banks.find.by_its_exact_id" => bank_by_id,
    "banks.list.pages_and_counts" => bank_pages,
    "banks.list.is_empty_at_first" => list_is_empty_at_first,
    "addresses.find.in_the_order_of_the_file" => addresses_in_order,
    "addresses.find.keeps_every_member" => addresses_whole,
}

/// Seeds 24 checkouts at 3 times, of both types and states, unordered, and returns them in list order.
async fn seed_checkouts(handle: &Handle) -> Result<Vec<Checkout>, Failure> {
    let mut checkouts = Vec::new();
    for number in 0..24_u8 {
        let mut one = checkout(Who::Main, 100 + u128::from(number) * 7 % 24)?;
        one.created_at = noon() + TimeDelta::microseconds(i64::from(number % 3));
        one.status = CheckoutStatus::ALL[usize::from(number / 2 % 2)];
        if number % 2 == 0 {
            one.kind = CheckoutKind::Shopping { settlement_account: None, shipping: None };
        }
        checkouts.push(one);
    }
    let mut data = seed_data(0)?;
    data.accounts[0].checkouts.clone_from(&checkouts);
    handle.seeding.seed(data).await?;
    checkouts.sort_by_key(|one| std::cmp::Reverse((one.created_at, one.id)));
    Ok(checkouts)
}

async fn page(handle: &Handle, filter: CheckoutFilter, limit: i64, offset: i64) -> Result<Page<Checkout>, Failure> {
    Ok(handle.checkouts.list(&Who::Main.account()?, filter, PageRequest { limit, offset }).await?)
}

async fn newest_first(handle: Handle) -> CheckResult {
    let expected = seed_checkouts(&handle).await?;
    same("all checkouts", page(&handle, CheckoutFilter::default(), 1000, 0).await?.rows, expected)
}

async fn pages_do_not_overlap(handle: Handle) -> CheckResult {
    let expected = seed_checkouts(&handle).await?;
    for limit in [1, 5, 7] {
        let mut seen = Vec::new();
        for offset in (0..24).step_by(usize::try_from(limit).unwrap_or(1)) {
            seen.extend(page(&handle, CheckoutFilter::default(), limit, offset).await?.rows);
        }
        same(&format!("pages of {limit}, put together"), &seen, &expected)?;
    }
    Ok(())
}

async fn count_ignores_the_page(handle: Handle) -> CheckResult {
    seed_checkouts(&handle).await?;
    let pages = [(1, 0, 1), (5, 22, 2), (1000, 0, 24), (10, 24, 0), (10, 1_000_000, 0), (1, i64::MAX, 0)];
    for (limit, offset, rows) in pages {
        let page = page(&handle, CheckoutFilter::default(), limit, offset).await?;
        same(&format!("count and rows of {limit} from {offset}"), (page.count, page.rows.len()), (24, rows))?;
    }
    Ok(())
}

async fn filters_by_type_and_status(handle: Handle) -> CheckResult {
    let all = seed_checkouts(&handle).await?;
    for checkout_type in [None, Some(CheckoutType::Shopping), Some(CheckoutType::TopUp)] {
        for status in [None, Some(CheckoutStatus::Active), Some(CheckoutStatus::Deactivated)] {
            let matches = |one: &&Checkout| {
                checkout_type.is_none_or(|expected| one.kind.checkout_type() == expected)
                    && status.is_none_or(|expected| one.status == expected)
            };
            let expected: Vec<_> = all.iter().filter(matches).cloned().collect();
            let page = page(&handle, CheckoutFilter { checkout_type, status }, 3, 1).await?;
            let what = format!("{checkout_type:?} that are {status:?}");
            same(&what, page.count, i64::try_from(expected.len()).unwrap_or(-1))?;
            same(&what, &page.rows[..], &expected[1..4])?;
        }
    }
    Ok(())
}

async fn every_field(handle: Handle) -> CheckResult {
    let shipping = |collect_address, dynamic_rates_url| Some(ShippingOptions { collect_address, dynamic_rates_url });
    let sells = |settlement_account, shipping| CheckoutKind::Shopping { settlement_account, shipping };
    let target = Some(SettlementAccountId(uuid(9, 1)));
    let kinds = [
        CheckoutKind::TopUp,
        sells(None, None),
        sells(target, None),
        sells(None, shipping(false, None)),
        sells(target, shipping(true, Some(WebUrl::parse("https://rates.example/a?b=c")?))),
        sells(None, shipping(false, Some(WebUrl::stored(String::new())))),
    ];
    let mut expected = Vec::new();
    for (number, kind) in (200..).zip(kinds) {
        let base = checkout(Who::Main, number)?;
        expected.push(Checkout {
            kind,
            name: (number % 2 == 0).then(|| String::from("Till")),
            locale: (number % 3 == 0).then(|| Locale::parse("en-GB")).transpose()?,
            currency: Currency::parse("EUR")?,
            updated_at: noon() + TimeDelta::days(1),
            ..base
        });
    }
    expected[0].name = Some(String::new());
    let mut data = seed_data(0)?;
    data.accounts[0].checkouts.clone_from(&expected);
    handle.seeding.seed(data).await?;
    expected.reverse();
    same("all checkouts", page(&handle, CheckoutFilter::default(), 100, 0).await?.rows, expected)
}

async fn one_account_only(handle: Handle) -> CheckResult {
    let mut data = seed_data(0)?;
    let others: Vec<_> = (0..30).map(|number| checkout(Who::Other, 300 + number)).collect::<Result<_, _>>()?;
    data.accounts[1].checkouts = others;
    handle.seeding.seed(data).await?;
    for who in BOTH {
        let account = who.account()?;
        for status in [None, Some(CheckoutStatus::Active)] {
            let filter = CheckoutFilter { checkout_type: None, status };
            let page = handle.checkouts.list(&account, filter, PageRequest::default()).await?;
            same("the count", page.count, if who == Who::Main { 1 } else { 30 })?;
            same("other accounts", page.rows.iter().filter(|one| one.account != account).count(), 0)?;
        }
    }
    Ok(())
}

/// Names in code point order, which differs from UTF-16 order and from the collation of any language.
const NAMES: [&str; 12] =
    ["", " A", "1", "10", "2", "Bank", "Bank", "Zebra", "apple", "Äpfel", "\u{ff5e}wave", "\u{1f3e6} emoji"];

async fn put_banks(handle: &Handle) -> Result<Vec<Bank>, Failure> {
    let numbered = (1..).zip(NAMES);
    let expected = numbered.map(|(number, name)| bank(number, name)).collect::<Result<Vec<_>, _>>()?;
    let mut shuffled = expected.clone();
    shuffled.rotate_left(5);
    shuffled.swap(0, 8);
    handle.registry.replace_banks(shuffled).await?;
    Ok(expected)
}

async fn bank_by_id(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, name) in [(1, "First"), (2, "Second")] {
        let expected = bank(number, name)?;
        same("a bank", handle.banks.find(&expected.id).await?, Some(expected))?;
    }
    same("an unknown bank", handle.banks.find(&bank(3, "")?.id).await?, None)
}

async fn banks_in_order(handle: Handle) -> CheckResult {
    let expected = put_banks(&handle).await?;
    same("all banks", handle.banks.list(PageRequest::default()).await?.rows, expected)
}

async fn bank_pages(handle: Handle) -> CheckResult {
    let expected = put_banks(&handle).await?;
    let mut seen = Vec::new();
    for offset in (0..15).step_by(5) {
        let page = handle.banks.list(PageRequest { limit: 5, offset }).await?;
        same("the count", page.count, 12)?;
        seen.extend(page.rows);
    }
    same("all pages", seen, expected)?;
    let past = handle.banks.list(PageRequest { limit: 5, offset: 12 }).await?;
    same("a page past the end", (past.count, past.rows), (12, vec![]))
}

async fn list_is_empty_at_first(handle: Handle) -> CheckResult {
    let page = handle.banks.list(PageRequest::default()).await?;
    same("banks", (page.count, page.rows), (0, vec![]))
}

async fn addresses_in_order(handle: Handle) -> CheckResult {
    let line = |postcode: &str, line: usize| Address {
        address_line1: format!("{line} High Street"),
        postcode: postcode.into(),
        city: "LONDON".into(),
        ..Address::default()
    };
    let file: Vec<_> = (0..1_200).rev().map(|number| line(["SW1A1AA", "M11AE"][number % 2], number)).collect();
    handle.registry.replace_addresses(file.clone()).await?;
    for postcode in ["SW1A1AA", "M11AE", "EC1A1BB"] {
        let expected: Vec<_> = file.iter().filter(|address| address.postcode == postcode).cloned().collect();
        let found = handle.addresses.find(&UkPostcode::parse(postcode)?).await?;
        same(&format!("the number of addresses of {postcode}"), found.len(), expected.len())?;
        same(&format!("the addresses of {postcode}"), found, expected)?;
    }
    Ok(())
}

async fn addresses_whole(handle: Handle) -> CheckResult {
    let texts = ["", " ", " Flat 1 ", "Straße\t5", "\u{1f3e0}\n", "O'Neill \"x\" \\%_"];
    let at = |place: usize| String::from(texts[place % texts.len()]);
    let address = |number: usize| Address {
        address_line1: at(number),
        address_line2: at(number + 1),
        address_line3: at(number + 2),
        city: at(number + 3),
        county: at(number + 4),
        postcode: "SW1A1AA".into(),
    };
    let expected: Vec<_> = (0..texts.len()).map(address).collect();
    handle.registry.replace_addresses(expected.clone()).await?;
    same("the addresses", handle.addresses.find(&UkPostcode::parse("SW1A1AA")?).await?, expected)
}
