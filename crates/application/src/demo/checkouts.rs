//! Checkouts: enough to fill several pages, with every combination of optional fields.

use super::DemoFault;
use super::ids::{Kind, id};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{AccountId, CheckoutId, SettlementAccountId};
use florin_domain::merchant::{Checkout, CheckoutKind, CheckoutStatus, Locale, ShippingOptions, WebUrl};
use florin_domain::money::Currency;
use std::ops::Range;

/// Number of checkouts of the demo account.
pub(super) const OF_DEMO_ACCOUNT: u32 = 125;

const NAMES: [Option<&str>; 7] = [
    Some("Web shop"),
    Some("Box office"),
    None,
    Some("Café & bakery"),
    Some("Gift cards"),
    Some("Spring sale, 50% off"),
    Some("東京ストア"),
];

const LOCALES: [Option<&str>; 8] =
    [Some("en-GB"), None, Some("fr"), Some("de-DE"), Some("zh-Hant-TW"), Some("es-419"), None, Some("gsw-CH")];

/// The checkouts with these numbers, oldest first.
pub(super) fn checkouts(
    account: &AccountId,
    numbers: Range<u32>,
    now: DateTime<Utc>,
) -> Result<Vec<Checkout>, DemoFault> {
    let (gbp, eur) = (Currency::parse("GBP")?, Currency::parse("EUR")?);
    let newest = numbers.end;
    let one = |number: u32| {
        // Every tenth checkout has the same creation time as the previous one, so that their ids decide their order.
        let age = newest - number + u32::from(number % 10 == 9);
        let created_at = now - TimeDelta::days(2) - TimeDelta::minutes(61 * i64::from(age));
        Ok::<_, DemoFault>(Checkout {
            id: CheckoutId(id(Kind::Checkout, number + 1)),
            account: account.clone(),
            kind: kind(number)?,
            name: pick(&NAMES, number).map(|name| format!("{name} {}", number + 1)),
            status: if number % 5 == 3 { CheckoutStatus::Deactivated } else { CheckoutStatus::Active },
            currency: if number % 4 == 3 { eur } else { gbp },
            return_url: WebUrl::parse(&format!("https://shop.example/checkouts/{}/return", number + 1))?,
            locale: pick(&LOCALES, number).map(Locale::parse).transpose()?,
            created_at,
            updated_at: created_at + TimeDelta::minutes(i64::from(number % 3) * 15),
        })
    };
    numbers.map(one).collect()
}

fn kind(number: u32) -> Result<CheckoutKind, DemoFault> {
    if number % 3 == 2 {
        return Ok(CheckoutKind::TopUp);
    }
    let settlement_account =
        (number % 2 == 1).then(|| SettlementAccountId(id(Kind::SettlementAccount, 1 + number % 4)));
    let shipping = match number % 8 {
        0 | 3 => None,
        1 | 6 => Some(ShippingOptions { collect_address: false, dynamic_rates_url: None }),
        2 | 5 => Some(ShippingOptions { collect_address: true, dynamic_rates_url: None }),
        _ => Some(ShippingOptions {
            collect_address: true,
            dynamic_rates_url: Some(WebUrl::parse(&format!("https://rates.example/shipping?checkout={}", number + 1))?),
        }),
    };
    Ok(CheckoutKind::Shopping { settlement_account, shipping })
}

/// Returns the element at this index of the list, which is repeated endlessly.
fn pick<'a>(list: &[Option<&'a str>], number: u32) -> Option<&'a str> {
    list.iter().cycle().nth(number as usize).copied().flatten()
}
