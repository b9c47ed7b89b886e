//! The summary page.

use super::context::PageContext;
use crate::countries::countries;
use crate::room::{escaped_length, fitting};
use crate::view;
use crate::view::{AddressField, AddressForm, FieldError, Lookup, Purpose, RateChoice, Step};
use askama::Template;

#[derive(Template)]
#[template(path = "summary.html")]
pub(super) struct Summary<'a> {
    context: PageContext<'a>,
    view: &'a view::Summary,
    fields: Vec<Field<'a>>,
    /// The addresses found for the postcode, as many as fit on the page.
    found: &'a [String],
    /// The shipping rates that fit, and the selected one.
    rates: Vec<&'a RateChoice>,
    heading: &'static str,
}

/// A field of the address form, as the template shows it.
struct Field<'a> {
    kind: AddressField,
    label: &'static str,
    value: &'a str,
    error: Option<String>,
    is_optional: bool,
    autocomplete: &'static str,
}

impl<'a> Summary<'a> {
    pub(super) fn new(mut context: PageContext<'a>, view: &'a view::Summary) -> Self {
        let (found, rates) = match &view.step {
            Step::Address(form) => (fitting_addresses(&mut context, &form.lookup), Vec::new()),
            Step::Rates { rates, selected, .. } => {
                (Default::default(), fitting_rates(&mut context, rates, selected.as_deref()))
            }
            Step::Confirm | Step::RatesUnavailable => Default::default(),
        };
        let fields = match &view.step {
            Step::Address(form) => fields(context, form),
            _ => Vec::new(),
        };
        let heading = match view.order.purpose {
            Purpose::Shopping => context.texts.summary.heading,
            Purpose::TopUp => context.texts.summary.heading_top_up,
        };
        Self { context, view, fields, found, rates, heading }
    }

    fn has_errors(&self) -> bool {
        self.fields.iter().any(|field| field.error.is_some())
            || matches!(self.view.step, Step::Rates { is_missing: true, .. })
    }

    fn countries(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        countries(self.context.frame.language)
    }
}

/// Size of an address in the list without its text, in bytes.
pub(super) const ADDRESS: usize = 130;
/// Size of a shipping rate in the list without its texts, in bytes.
pub(super) const RATE: usize = 190;

/// Returns the addresses that fit. The basket gets the room that they leave.
fn fitting_addresses<'a>(context: &mut PageContext<'a>, lookup: &'a Lookup) -> &'a [String] {
    let Lookup::Found(all) = lookup else { return &[] };
    let (shown, taken) = fitting(all.iter().map(|address| ADDRESS + escaped_length(address)), context.room);
    context.room = context.room.saturating_sub(taken);
    all.get(..shown).unwrap_or_default()
}

/// Returns the rates that fit, and the selected one. The basket gets the room that they leave.
fn fitting_rates<'a>(
    context: &mut PageContext<'a>,
    all: &'a [RateChoice],
    selected: Option<&str>,
) -> Vec<&'a RateChoice> {
    let size = |rate: &RateChoice| RATE + escaped_length(&rate.service_code) + escaped_length(&rate.description);
    let (shown, taken) = fitting(all.iter().map(size), context.room);
    context.room = context.room.saturating_sub(taken);
    let (shown, rest) = all.split_at(shown);
    let selected = rest.iter().find(|rate| Some(rate.service_code.as_str()) == selected);
    shown.iter().chain(selected).collect()
}

fn fields<'a>(context: PageContext<'a>, form: &'a AddressForm) -> Vec<Field<'a>> {
    let texts = &context.texts.address;
    let rows = AddressField::ALL.into_iter().zip(texts.labels).zip(texts.missing.into_iter().zip(texts.invalid));
    rows.map(|((kind, label), (missing, invalid))| {
        let error = form.errors.iter().find(|(wrong, _)| *wrong == kind).map(|(_, error)| match error {
            FieldError::Missing => missing.to_owned(),
            FieldError::TooLong(max) => (context.texts.common.too_long)(label, *max),
            FieldError::Invalid => invalid.to_owned(),
        });
        let (value, autocomplete) = value(kind, &form.values);
        let is_optional = matches!(kind, AddressField::AddressLine2 | AddressField::Region);
        Field { kind, label, value, error, is_optional, autocomplete }
    })
    .collect()
}

/// Returns the value and the `autocomplete` attribute of a field.
fn value(field: AddressField, values: &view::AddressValues) -> (&str, &'static str) {
    match field {
        AddressField::RecipientName => (&values.recipient_name, "shipping name"),
        AddressField::Postcode => (&values.postcode, "shipping postal-code"),
        AddressField::AddressLine1 => (&values.address_line1, "shipping address-line1"),
        AddressField::AddressLine2 => (&values.address_line2, "shipping address-line2"),
        AddressField::City => (&values.city, "shipping address-level2"),
        AddressField::Region => (&values.region, "shipping address-level1"),
        AddressField::CountryCode => (&values.country_code, "shipping country"),
    }
}
