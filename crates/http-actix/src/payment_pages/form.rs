//! Reads the forms that browsers send.

use super::answer::invalid_form;
use crate::extract::body;
use crate::extract::headers::is_form;
use crate::extract::query::Query;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::web::Payload;
use florin_pages::AddressField;
use std::collections::BTreeMap;

/// Maximum size of a form, in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// The fields of all forms, except those of the address.
const FIELDS: [&str; 9] =
    ["action", "formToken", "bankId", "name", "outcome", "afterMinutes", "rate", "found", "foundFor"];

/// The fields of a form that was sent. All fields are known, and each occurs once.
pub(super) struct SentForm(BTreeMap<String, String>);

/// The button that sent a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Button {
    Continue,
    Cancel,
    Address,
    Rates,
    Rate,
    Choose,
    Approve,
    Reject,
    Leave,
}

impl Button {
    const ALL: [(&str, Self); 9] = [
        ("continue", Self::Continue),
        ("cancel", Self::Cancel),
        ("address", Self::Address),
        ("rates", Self::Rates),
        ("rate", Self::Rate),
        ("choose", Self::Choose),
        ("approve", Self::Approve),
        ("reject", Self::Reject),
        ("leave", Self::Leave),
    ];
}

impl SentForm {
    /// Reads a form, and checks its size, media type and fields.
    pub(super) async fn read(request: &HttpRequest, payload: Payload) -> Result<Self, Problem> {
        let bytes = body::bytes(request, payload, MAX_BYTES).await?;
        if !is_form(request) {
            return Err(body::unsupported("must be application/x-www-form-urlencoded in UTF-8"));
        }
        let text = str::from_utf8(&bytes).map_err(|_| invalid_form("must be UTF-8"))?;
        let mut fields = BTreeMap::new();
        for (name, value) in Query::parse(text).into_pairs() {
            let value = value.filter(|value| !value.contains('\0'));
            let value = value.ok_or_else(|| invalid_form("must be UTF-8 without the NUL character"))?;
            if !FIELDS.contains(&name.as_str()) && AddressField::named(&name).is_none() {
                return Err(invalid_form("must have only fields of the form"));
            }
            if fields.insert(name, value).is_some() {
                return Err(invalid_form("must have each field once"));
            }
        }
        Ok(Self(fields))
    }

    /// Returns the value of a field, without surrounding whitespace. A missing field is empty.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// Whether the form contains a field of the address.
    pub(super) fn has_address(&self) -> bool {
        AddressField::ALL.iter().any(|field| self.0.contains_key(field.name()))
    }

    /// Returns the button that was pressed.
    pub(super) fn button(&self) -> Result<Button, Problem> {
        let sent = self.get("action");
        let known = Button::ALL.iter().find(|(name, _)| *name == sent);
        known.map(|(_, button)| *button).ok_or_else(|| invalid_form("must have the action of a button"))
    }
}
