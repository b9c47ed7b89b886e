//! Controls of cards and budgets, as JSON.

use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use super::body::names::Name;
use florin_domain::card::{ControlledCountry, Controls, EntryMode, MccRange};
use florin_domain::fault::Flaw;
use florin_domain::text::Text;
use serde::{Deserialize, Serialize};

/// The stored form. Absent members are left out, and members of a newer version are refused: a rule must not be lost.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_mccs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_mccs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_countries: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_countries: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_merchants: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_merchants: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_entry_modes: Option<Vec<String>>,
}

/// Returns the text to store; `None` for no rule.
pub(crate) fn text(controls: &Controls) -> Option<String> {
    fn texts<T>(list: Option<&Vec<T>>, text: impl Fn(&T) -> String) -> Option<Vec<String>> {
        list.map(|list| list.iter().map(text).collect())
    }
    if controls.is_empty() {
        return None;
    }
    let country = |country: &ControlledCountry| country.as_str().to_owned();
    let merchant = |merchant: &Text<1, 36>| merchant.as_str().to_owned();
    let stored = Stored {
        allowed_mccs: texts(controls.allowed_mccs.as_ref(), MccRange::to_string),
        blocked_mccs: texts(controls.blocked_mccs.as_ref(), MccRange::to_string),
        allowed_countries: texts(controls.allowed_countries.as_ref(), country),
        blocked_countries: texts(controls.blocked_countries.as_ref(), country),
        allowed_merchants: texts(controls.allowed_merchants.as_ref(), merchant),
        blocked_merchants: texts(controls.blocked_merchants.as_ref(), merchant),
        allowed_entry_modes: texts(controls.allowed_entry_modes.as_ref(), |mode| mode.name().to_owned()),
    };
    // Serialization cannot fail: the members are lists of texts.
    serde_json::to_string(&stored).ok()
}

/// Reads a stored text.
pub(crate) fn read(text: Option<&str>) -> Outcome<Controls> {
    let Some(text) = text else { return Ok(Controls::default()) };
    let stored: Stored = json_values::column("controls", text)?;
    let mode = |text: &str| EntryMode::named(text).ok_or_else(|| Flaw::value("must be an entry mode"));
    Ok(Controls {
        allowed_mccs: list(stored.allowed_mccs, MccRange::parse)?,
        blocked_mccs: list(stored.blocked_mccs, MccRange::parse)?,
        allowed_countries: list(stored.allowed_countries, ControlledCountry::of_form)?,
        blocked_countries: list(stored.blocked_countries, ControlledCountry::of_form)?,
        allowed_merchants: list(stored.allowed_merchants, |text| Text::parse(text))?,
        blocked_merchants: list(stored.blocked_merchants, |text| Text::parse(text))?,
        allowed_entry_modes: list(stored.allowed_entry_modes, mode)?,
    })
}

fn list<T>(texts: Option<Vec<String>>, parse: impl Fn(&str) -> Result<T, Flaw>) -> Outcome<Option<Vec<T>>> {
    let one = |text: String| {
        parse(&text).map_err(|flaw| corrupt(format!("a control with the entry `{text}`, which {}", flaw.message)))
    };
    texts.map(|texts| texts.into_iter().map(one).collect()).transpose()
}
