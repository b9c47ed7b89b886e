//! Controls of cards and budgets, and the merchants of messages.

use serde_json::{Value, json};

/// The merchant of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acceptor {
    pub(super) mid: &'static str,
    pub(super) mcc: Option<&'static str>,
    pub(super) country: Option<&'static str>,
}

impl Acceptor {
    pub(super) fn mcc(&self) -> &'static str {
        self.mcc.unwrap_or("5999")
    }

    pub(super) fn body(&self) -> Value {
        json!({"mid": self.mid, "mcc": self.mcc, "countryCode": self.country})
    }
}

type List = Option<Vec<&'static str>>;

/// The controls of a card or a budget. A control that is `None` allows everything.
#[derive(Clone, Debug, Default)]
pub(super) struct Controls {
    pub(super) blocked_mccs: List,
    pub(super) allowed_mccs: List,
    pub(super) blocked_merchants: List,
    pub(super) allowed_merchants: List,
    pub(super) blocked_countries: List,
    pub(super) allowed_countries: List,
    pub(super) allowed_entry_modes: List,
}

/// Whether a category equals a code, or is in a range such as `3501-3999`.
pub(super) fn covers(range: &str, mcc: &str) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    (first..=last).contains(&mcc)
}

fn padded(mid: &str) -> String {
    let is_number = mid.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("{mid:0>15}") } else { mid.to_owned() }
}

fn same_merchant(one: &str, other: &str) -> bool {
    padded(one) == padded(other)
}

fn same_country(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Whether an entry of `blocked` matches, or no entry of `allowed` does.
fn fails(blocked: &List, allowed: &List, matches: impl Fn(&str) -> bool) -> bool {
    let has = |list: &List| list.as_ref().map(|list| list.iter().any(|entry| matches(entry)));
    has(blocked) == Some(true) || has(allowed) == Some(false)
}

impl Controls {
    pub(super) fn body(&self) -> Value {
        json!({
            "blockedMccs": self.blocked_mccs, "allowedMccs": self.allowed_mccs,
            "blockedMerchants": self.blocked_merchants, "allowedMerchants": self.allowed_merchants,
            "blockedCountries": self.blocked_countries, "allowedCountries": self.allowed_countries,
            "allowedEntryModes": self.allowed_entry_modes,
        })
    }

    fn fails_category(&self, acceptor: &Acceptor) -> bool {
        fails(&self.blocked_mccs, &self.allowed_mccs, |range| covers(range, acceptor.mcc()))
            || fails(&self.blocked_merchants, &self.allowed_merchants, |mid| same_merchant(mid, acceptor.mid))
    }

    fn fails_country(&self, acceptor: &Acceptor) -> bool {
        let country = acceptor.country.unwrap_or("GBR");
        fails(&self.blocked_countries, &self.allowed_countries, |entry| same_country(entry, country))
    }

    fn fails_entry_mode(&self, mode: Option<&str>) -> bool {
        fails(&None, &self.allowed_entry_modes, |entry| mode == Some(entry))
    }
}

/// Returns the response code of the first control of a card or its budget that fails.
pub(super) fn decline(
    card_and_budget: [&Controls; 2],
    acceptor: &Acceptor,
    mode: Option<&str>,
) -> Option<&'static str> {
    if card_and_budget.iter().any(|controls| controls.fails_category(acceptor)) {
        Some("1821")
    } else if card_and_budget.iter().any(|controls| controls.fails_country(acceptor)) {
        Some("1864")
    } else if card_and_budget.iter().any(|controls| controls.fails_entry_mode(mode)) {
        Some("1831")
    } else {
        None
    }
}
