//! Payments out of JSON. Another shape is a fault, with its place; a wrong value is none, and kept.

use super::TypedPayments;
use super::columns::of_object;
use crate::extract::json::NotJson;
use crate::extract::lazy::{array, is_null, is_object, object, text};
use florin_domain::batch::{EmailInput, PaymentInput, PaymentRow};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::BudgetId;
use serde_json::value::RawValue;

/// The most rows of one request.
pub(crate) const MAX_ROWS: usize = 3_000;
/// The most e-mail addresses of one recipient.
pub(crate) const MAX_EMAILS: usize = 100;

/// Reads `{defaultFundingBudgetId?, rows}`.
pub(crate) fn payments(raw: &RawValue, path: &str, faults: &mut Faults) -> Result<TypedPayments, NotJson> {
    let mut typed = TypedPayments::default();
    let mut has_rows = false;
    object(raw, path, faults, |name, value, faults| {
        match name {
            "defaultFundingBudgetId" => {
                let place = format!("{path}.{name}");
                let named = text(value, || place.clone(), faults);
                typed.default_budget = named.and_then(|named| faults.take(&place, BudgetId::parse(&named)));
            }
            "rows" => {
                has_rows = !is_null(value);
                if has_rows {
                    rows(value, &format!("{path}.{name}"), &mut typed.rows, faults)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !has_rows && is_object(raw) {
        faults.push(Flaw::required().at(format!("{path}.rows")));
    }
    Ok(typed)
}

fn rows(raw: &RawValue, path: &str, rows: &mut Vec<PaymentRow>, faults: &mut Faults) -> Result<(), NotJson> {
    array(raw, (path, MAX_ROWS), faults, |place, item, faults| {
        let mut row = PaymentRow::default();
        members(&mut row.input, "", item, &place, faults)?;
        rows.push(row);
        Ok(())
    })
}

/// Reads an object of a payment: that of the columns that begin with `prefix`.
fn members(
    payment: &mut PaymentInput,
    prefix: &str,
    raw: &RawValue,
    path: &str,
    faults: &mut Faults,
) -> Result<(), NotJson> {
    object(raw, path, faults, |name, value, faults| {
        let place = || format!("{path}.{name}");
        if let Some((_, column)) = of_object(prefix).find(|(member, _)| *member == name) {
            if let Some(text) = text(value, place, faults) {
                *(column.slot)(payment) = Some(text);
            }
            return Ok(true);
        }
        let inner = match (prefix, name) {
            ("", "recipient") => "recipient.",
            ("recipient.", "address") => "recipient.address.",
            ("recipient.", "bankAddress") => "recipient.bankAddress.",
            ("recipient.", "subscribedEmails") => {
                if !is_null(value) {
                    emails(&mut payment.recipient.subscribed_emails, value, &place(), faults)?;
                }
                return Ok(true);
            }
            _ => return Ok(false),
        };
        if !is_null(value) {
            members(payment, inner, value, &place(), faults)?;
        }
        Ok(true)
    })
}

fn emails(emails: &mut Vec<EmailInput>, raw: &RawValue, path: &str, faults: &mut Faults) -> Result<(), NotJson> {
    array(raw, (path, MAX_EMAILS), faults, |path, item, faults| {
        let mut email = EmailInput::default();
        object(item, &path, faults, |name, value, faults| {
            let slot = match name {
                "name" => &mut email.name,
                "email" => &mut email.email,
                _ => return Ok(false),
            };
            *slot = text(value, || format!("{path}.{name}"), faults);
            Ok(true)
        })?;
        emails.push(email);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::lazy::parse;
    use florin_domain::fault::FlawCode::{
        self, DuplicateField, InvalidFormat, InvalidType, OutOfRange, Required, UnknownField,
    };

    fn read(text: &str) -> (TypedPayments, Vec<(String, FlawCode)>) {
        let mut faults = Faults::default();
        let typed = payments(parse(text.as_bytes()).unwrap(), "body", &mut faults).unwrap();
        (typed, faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect())
    }

    #[test]
    fn what_was_typed_is_kept() {
        let (typed, faults) = read(
            r#"{"defaultFundingBudgetId": null, "rows": [
                {"amount": "nonsense", "currencyCode": null, "recipient": {"name": "Ada", "type": "",
                 "subscribedEmails": [{"name": "A", "email": "a@b"}, {}], "address": {"city": "Lyon"},
                 "bankAddress": null}},
                {}]}"#,
        );
        assert_eq!(faults, []);
        assert_eq!((typed.default_budget, typed.rows.len()), (None, 2));
        let input = &typed.rows[0].input;
        assert_eq!((input.amount.as_deref(), input.currency_code.as_deref()), (Some("nonsense"), None));
        assert_eq!(input.recipient.kind.as_deref(), Some(""));
        assert_eq!(input.recipient.subscribed_emails.len(), 2);
        assert_eq!(input.recipient.address.as_ref().unwrap().city.as_deref(), Some("Lyon"));
        assert_eq!(typed.rows[1], PaymentRow::default());
    }

    #[test]
    fn every_fault_of_shape_has_its_place() {
        let (_, faults) = read(
            r#"{"defaultFundingBudgetId": "x", "extra": 1, "rows": [
                {"amount": 1, "amount": "1", "amount": "1", "recipient.name": "x"},
                5,
                {"recipient": {"name": "\ud800", "email": "a@b", "address": [], "subscribedEmails": [{"e": 1}, 1]}},
                {"reference": "a\u0000b", "recipient": "x"}]}"#,
        );
        let expected = [
            ("body.defaultFundingBudgetId", InvalidFormat),
            ("body.extra", UnknownField),
            ("body.rows[0].amount", InvalidType),
            ("body.rows[0].amount", DuplicateField),
            ("body.rows[0].recipient.name", UnknownField),
            ("body.rows[1]", InvalidType),
            ("body.rows[2].recipient.name", InvalidFormat),
            ("body.rows[2].recipient.email", UnknownField),
            ("body.rows[2].recipient.address", InvalidType),
            ("body.rows[2].recipient.subscribedEmails[0].e", UnknownField),
            ("body.rows[2].recipient.subscribedEmails[1]", InvalidType),
            ("body.rows[3].reference", InvalidFormat),
            ("body.rows[3].recipient", InvalidType),
        ];
        assert_eq!(faults, expected.map(|(path, code)| (path.to_owned(), code)));
    }

    #[test]
    fn rows_must_be_there_and_not_too_many() {
        assert_eq!(read("{}").1, [("body.rows".to_owned(), Required)]);
        assert_eq!(read(r#"{"rows": null}"#).1, [("body.rows".to_owned(), Required)]);
        assert_eq!(read("[]").1, [("body".to_owned(), InvalidType)]);
        let rows = |count: usize| format!(r#"{{"rows": [{}]}}"#, vec!["{}"; count].join(","));
        assert_eq!(read(&rows(0)).1, []);
        assert_eq!(read(&rows(3_000)).0.rows.len(), 3_000);
        assert_eq!(read(&rows(3_001)).1, [("body.rows".to_owned(), OutOfRange)]);
        let emails =
            format!(r#"{{"rows": [{{"recipient": {{"subscribedEmails": [{}]}}}}]}}"#, vec!["{}"; 101].join(","));
        assert_eq!(read(&emails).1, [("body.rows[0].recipient.subscribedEmails".to_owned(), OutOfRange)]);
    }

    #[test]
    fn faults_without_end_are_told_up_to_a_limit() {
        let rows = vec![r#"{"amount": 1, "x": 1}"#; 3_000].join(",");
        assert_eq!(read(&format!(r#"{{"rows": [{rows}]}}"#)).1.len(), Faults::MAX);
        let members: Vec<_> = (0..100_000).map(|number| format!("\"m{number}\":0")).collect();
        assert_eq!(read(&format!("{{{}}}", members.join(","))).1.len(), Faults::MAX);
    }
}
