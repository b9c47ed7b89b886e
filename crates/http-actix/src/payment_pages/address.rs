//! The form for the shipping address.

use super::answer::{invalid_form, redirect_to};
use super::form::SentForm;
use super::step::apply_action;
use super::summary::summary;
use super::visit::{Part, Visit};
use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use florin_application::lookup_addresses;
use florin_domain::access::Feature;
use florin_domain::address::{Address, PostcodeQuery};
use florin_domain::checkout::{
    AddressLine, CheckoutSession, CountryCode, Postcode, RecipientName, SessionAction, Shipping,
};
use florin_domain::fault::FlawCode;
use florin_domain::text::Text;
use florin_pages::{AddressField, AddressForm, AddressValues, FieldError, Lookup, Step};

/// Maximum number of addresses that are listed for a postcode.
const MAX_FOUND: usize = 100;

/// Returns the form, filled with the address of the session.
pub(super) async fn form_of(visit: &Visit<'_>) -> Result<Step, Problem> {
    Ok(step(stored_values(visit.session()), Vec::new(), lookup(visit).await?))
}

/// Returns the initial state of the postcode lookup. The lookup is a feature of the client that owns the account.
async fn lookup(visit: &Visit<'_>) -> Result<Lookup, Problem> {
    let services = &visit.app.services;
    let client = services.accounts.client(visit.account.client).await?;
    let is_on = client.is_some_and(|client| Feature::AddressesLookup.is_enabled(&client, services.environment));
    Ok(if is_on { Lookup::Ready } else { Lookup::Off })
}

fn stored_values(session: &CheckoutSession) -> AddressValues {
    session.shipping.as_ref().map_or_else(AddressValues::default, |shipping| AddressValues {
        recipient_name: shipping.recipient_name.clone(),
        address_line1: shipping.address_line1.clone(),
        address_line2: shipping.address_line2.clone().unwrap_or_default(),
        city: shipping.city.clone(),
        region: shipping.region.clone().unwrap_or_default(),
        postcode: shipping.postcode.clone(),
        country_code: shipping.country_code.as_str().to_owned(),
    })
}

fn step(values: AddressValues, errors: Vec<(AddressField, FieldError)>, lookup: Lookup) -> Step {
    Step::Address(Box::new(AddressForm { values, errors, lookup }))
}

fn values_of(form: &SentForm) -> AddressValues {
    let value = |field: AddressField| form.get(field.name()).to_owned();
    AddressValues {
        recipient_name: value(AddressField::RecipientName),
        address_line1: value(AddressField::AddressLine1),
        address_line2: value(AddressField::AddressLine2),
        city: value(AddressField::City),
        region: value(AddressField::Region),
        postcode: value(AddressField::Postcode),
        country_code: value(AddressField::CountryCode),
    }
}

/// Stores the address, or shows the form with its errors.
pub(super) async fn save(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    must_be_collected(visit)?;
    let values = values_of(form);
    let shipping = match read(&values) {
        Ok(shipping) => shipping,
        Err(errors) => {
            let page = summary(visit, step(values, errors, lookup(visit).await?));
            return Ok(visit.answer(StatusCode::BAD_REQUEST, &page));
        }
    };
    match apply_action(visit, SessionAction::Ship(shipping)).await? {
        Some(session) if !session.needs_rate() => Ok(redirect_to(&visit.path_of(Part::Summary))),
        _ => Ok(redirect_to(&visit.path)),
    }
}

/// Shows the form with the addresses of the postcode, or filled with the chosen address. Nothing is stored. The page is
/// the direct response to the form, so that no address becomes part of a URL.
pub(super) async fn look_up(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    must_be_collected(visit)?;
    let values = values_of(form);
    if lookup(visit).await? == Lookup::Off {
        let page = summary(visit, step(values, Vec::new(), Lookup::Off));
        return Ok(visit.answer(StatusCode::BAD_REQUEST, &page));
    }
    let Ok(query) = PostcodeQuery::parse(&values.postcode) else {
        let error = if values.postcode.is_empty() { FieldError::Missing } else { FieldError::Invalid };
        let page = summary(visit, step(values, vec![(AddressField::Postcode, error)], Lookup::Ready));
        return Ok(visit.answer(StatusCode::BAD_REQUEST, &page));
    };
    let found = lookup_addresses(&visit.app.services, &query).await;
    let found = found.inspect_err(|error| tracing::error!(%error, "cannot look up a postcode for a payer"));
    let Ok(mut found) = found else {
        return Ok(visit.answer(StatusCode::OK, &summary(visit, step(values, Vec::new(), Lookup::Unavailable))));
    };
    found.truncate(MAX_FOUND);
    let is_chosen = !form.get("found").is_empty() && form.get("foundFor") == values.postcode;
    let next = if is_chosen {
        let chosen = form.get("found").parse::<usize>().ok().and_then(|place| found.into_iter().nth(place));
        let chosen = chosen.ok_or_else(|| invalid_form("must choose one of the addresses"))?;
        step(filled(values, chosen), Vec::new(), Lookup::Ready)
    } else if found.is_empty() {
        step(values, Vec::new(), Lookup::NotFound)
    } else {
        step(values, Vec::new(), Lookup::Found(found.iter().map(one_line).collect()))
    };
    Ok(visit.answer(StatusCode::OK, &summary(visit, next)))
}

/// Refuses the form if the session collects no address.
fn must_be_collected(visit: &Visit<'_>) -> Result<(), Problem> {
    if visit.session().collects_address() { Ok(()) } else { Err(invalid_form("must not have an address")) }
}

fn one_line(address: &Address) -> String {
    let Address { address_line1, address_line2, address_line3, city, postcode, county } = address;
    joined(&[address_line1, address_line2, address_line3, city, county, postcode])
}

fn joined(parts: &[&String]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// Fills the values with an address that was found. The postcode stays as the payer entered it.
fn filled(values: AddressValues, found: Address) -> AddressValues {
    AddressValues {
        address_line2: joined(&[&found.address_line2, &found.address_line3]),
        address_line1: found.address_line1,
        city: found.city,
        region: found.county,
        country_code: "GB".to_owned(),
        ..values
    }
}

/// Checks the address by the rules of the API. The result has no shipping rate.
fn read(values: &AddressValues) -> Result<Shipping, Vec<(AddressField, FieldError)>> {
    let mut errors = Vec::new();
    let mut take = |field, result: Result<String, FieldError>| {
        result.map_err(|error| errors.push((field, error))).unwrap_or_default()
    };
    let recipient_name: Result<RecipientName, _> = text(&values.recipient_name);
    let line1: Result<AddressLine, _> = text(&values.address_line1);
    let line2: Result<Option<AddressLine>, _> = optional(&values.address_line2);
    let city: Result<AddressLine, _> = text(&values.city);
    let region: Result<Option<AddressLine>, _> = optional(&values.region);
    let postcode: Result<Postcode, _> = text(&values.postcode);
    let country = country(&values.country_code);
    let shipping = Shipping {
        recipient_name: take(AddressField::RecipientName, recipient_name.map(Text::into_string)),
        address_line1: take(AddressField::AddressLine1, line1.map(Text::into_string)),
        address_line2: non_empty(take(AddressField::AddressLine2, line2.map(or_empty))),
        city: take(AddressField::City, city.map(Text::into_string)),
        region: non_empty(take(AddressField::Region, region.map(or_empty))),
        postcode: take(AddressField::Postcode, postcode.map(Text::into_string)),
        country_code: match country {
            Ok(country) => country,
            Err(error) => {
                errors.push((AddressField::CountryCode, error));
                return Err(errors);
            }
        },
        rate: None,
    };
    if errors.is_empty() { Ok(shipping) } else { Err(errors) }
}

fn text<const MAX: usize>(value: &str) -> Result<Text<1, MAX>, FieldError> {
    if value.is_empty() {
        return Err(FieldError::Missing);
    }
    Text::parse(value).map_err(|flaw| match flaw.code {
        FlawCode::TooLong => FieldError::TooLong(MAX),
        _ => FieldError::Invalid,
    })
}

fn optional<const MAX: usize>(value: &str) -> Result<Option<Text<1, MAX>>, FieldError> {
    if value.is_empty() { Ok(None) } else { text(value).map(Some) }
}

fn or_empty<const MAX: usize>(text: Option<Text<1, MAX>>) -> String {
    text.map(Text::into_string).unwrap_or_default()
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn country(value: &str) -> Result<CountryCode, FieldError> {
    let missing = value.is_empty();
    CountryCode::parse(value).map_err(|_| if missing { FieldError::Missing } else { FieldError::Invalid })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> AddressValues {
        AddressValues {
            recipient_name: "Ada Lovelace".into(),
            address_line1: "12 St James's Square".into(),
            city: "London".into(),
            postcode: "SW1Y 4JH".into(),
            ..AddressValues::default()
        }
    }

    #[test]
    fn an_address_is_checked_like_that_of_the_api() {
        let shipping = read(&values()).unwrap();
        assert_eq!((shipping.address_line2, shipping.region, shipping.rate), (None, None, None));
        assert_eq!(shipping.country_code.as_str(), "GB");
        let wrong = AddressValues {
            recipient_name: "x".repeat(141),
            address_line1: String::new(),
            address_line2: "x".repeat(101),
            region: "x".repeat(101),
            postcode: "x".repeat(17),
            country_code: "XX".into(),
            ..values()
        };
        assert_eq!(
            read(&wrong).unwrap_err(),
            [
                (AddressField::RecipientName, FieldError::TooLong(140)),
                (AddressField::AddressLine1, FieldError::Missing),
                (AddressField::AddressLine2, FieldError::TooLong(100)),
                (AddressField::Region, FieldError::TooLong(100)),
                (AddressField::Postcode, FieldError::TooLong(16)),
                (AddressField::CountryCode, FieldError::Invalid),
            ]
        );
    }
}
