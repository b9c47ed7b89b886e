//! Reads payments from JSON. A value of the wrong JSON type is a validation error with its path. A string with an
//! invalid value is stored, and becomes an alert.

use super::columns::{COLUMNS, EMAIL, of_object};
use super::json_upload::{JsonUpload, MAX_EMAILS, MAX_ROWS};
use super::schema;
use crate::declare::{FieldType, Schemas};
use crate::json::{Place, Reading, Value};
use florin_domain::batch::{EmailInput, PaymentInput, PaymentRow};
use florin_domain::fault::Flaw;
use florin_domain::ids::BudgetId;
use std::sync::LazyLock;
use utoipa::ToSchema;
use utoipa::openapi::{Ref, RefOr, Schema};

/// The list of e-mail addresses of a recipient.
const EMAILS: &str = "subscribedEmails";

/// The prefix of the columns of each object of a payment, with the names of the object's members.
static OBJECTS: LazyLock<[(&str, Vec<&str>); 4]> = LazyLock::new(|| {
    ["", "recipient.", "recipient.address.", "recipient.bankAddress."].map(|prefix| (prefix, member_names(prefix)))
});

/// Reads `{defaultFundingBudgetId?, rows}`. Returns a value for every JSON object, even for an invalid one, whose
/// validation errors are recorded.
impl FieldType for JsonUpload {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let mut upload = Self::default();
        let mut has_rows = false;
        reading.object(value, place, &["defaultFundingBudgetId", "rows"], |reading, name, value, place| {
            match name {
                "defaultFundingBudgetId" => {
                    upload.default_budget = non_null(value).and_then(|value| BudgetId::read(value, place, reading));
                }
                "rows" => {
                    has_rows = !value.is_null();
                    if has_rows {
                        read_rows(&mut upload.rows, value, place, reading);
                    }
                }
                _ => return false,
            }
            true
        })?;
        if !has_rows {
            reading.fault(&place.member("rows"), Flaw::required());
        }
        Some(upload)
    }

    fn schema() -> RefOr<Schema> {
        Ref::from_schema_name(<Self as ToSchema>::name()).into()
    }

    fn schemas(schemas: &mut Schemas) {
        schemas.push((<Self as ToSchema>::name().into_owned(), schema::payments()));
    }
}

fn non_null(value: Value<'_>) -> Option<Value<'_>> {
    (!value.is_null()).then_some(value)
}

/// Reads a text. Returns `None` for null, or if a fault was recorded.
fn read_text(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<String> {
    Some(reading.string(non_null(value)?, place)?.into_owned())
}

fn read_rows(rows: &mut Vec<PaymentRow>, value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) {
    reading.array(value, place, MAX_ROWS, |reading, item, place| {
        let mut row = PaymentRow::default();
        read_members(&mut row.input, "", item, place, reading);
        rows.push(row);
    });
}

/// Returns the names of the members of one object of a payment, including members that are objects.
fn member_names(prefix: &str) -> Vec<&'static str> {
    let below = COLUMNS.iter().filter(|column| column.name != EMAIL);
    let below = below.filter_map(|column| column.name.strip_prefix(prefix)?.split('.').next());
    let mut names: Vec<_> = below.chain((prefix == "recipient.").then_some(EMAILS)).collect();
    names.dedup();
    names
}

/// Reads one object of a payment: the members whose column names begin with `prefix`.
fn read_members(
    payment: &mut PaymentInput,
    prefix: &str,
    value: Value<'_>,
    place: &Place<'_>,
    reading: &mut Reading<'_>,
) {
    let known = OBJECTS.iter().find(|(object, _)| *object == prefix).map_or(&[][..], |(_, names)| names.as_slice());
    reading.object(value, place, known, |reading, name, value, place| {
        if let Some((_, column)) = of_object(prefix).find(|(member, _)| *member == name) {
            if let Some(text) = read_text(value, place, reading) {
                *(column.slot)(payment) = Some(text);
            }
            return true;
        }
        let inner_prefix = match (prefix, name) {
            ("", "recipient") => "recipient.",
            ("recipient.", "address") => "recipient.address.",
            ("recipient.", "bankAddress") => "recipient.bankAddress.",
            ("recipient.", EMAILS) => {
                if !value.is_null() {
                    read_emails(&mut payment.recipient.subscribed_emails, value, place, reading);
                }
                return true;
            }
            _ => return false,
        };
        if !value.is_null() {
            read_members(payment, inner_prefix, value, place, reading);
        }
        true
    });
}

fn read_emails(emails: &mut Vec<EmailInput>, value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) {
    reading.array(value, place, MAX_EMAILS, |reading, item, place| {
        let mut email = EmailInput::default();
        reading.object(item, place, &["name", "email"], |reading, name, value, place| {
            match name {
                "name" => email.name = read_text(value, place, reading),
                "email" => email.email = read_text(value, place, reading),
                _ => return false,
            }
            true
        });
        emails.push(email);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Context, Document};
    use florin_domain::access::Environment;
    use florin_domain::fault::Faults;
    use florin_domain::fault::FlawCode::{
        self, DuplicateField, InvalidFormat, InvalidType, OutOfRange, Required, UnknownField,
    };

    fn read(text: &str) -> (JsonUpload, Vec<(String, FlawCode)>) {
        let (context, mut faults) = (Context { environment: Environment::Sandbox, budget: None }, Faults::default());
        let body = Document::parse(text.as_bytes().to_vec()).unwrap();
        let upload = crate::declare::read::<JsonUpload>(Some(&body), context, &mut faults).unwrap();
        (upload.unwrap_or_default(), faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect())
    }

    #[test]
    fn strings_with_invalid_values_are_stored() {
        let (upload, faults) = read(
            r#"{"defaultFundingBudgetId": null, "rows": [
                {"amount": "nonsense", "currencyCode": null, "recipient": {"name": "Ada", "type": "",
                 "subscribedEmails": [{"name": "A", "email": "a@b"}, {}], "address": {"city": "Lyon"},
                 "bankAddress": null}},
                {}]}"#,
        );
        assert_eq!(faults, []);
        assert_eq!((upload.default_budget, upload.rows.len()), (None, 2));
        let input = &upload.rows[0].input;
        assert_eq!((input.amount.as_deref(), input.currency_code.as_deref()), (Some("nonsense"), None));
        assert_eq!(input.recipient.kind.as_deref(), Some(""));
        assert_eq!(input.recipient.subscribed_emails.len(), 2);
        assert_eq!(input.recipient.address.as_ref().unwrap().city.as_deref(), Some("Lyon"));
        assert_eq!(upload.rows[1], PaymentRow::default());
    }

    #[test]
    fn type_and_format_errors_have_paths() {
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
    fn misspelt_members_get_suggestions() {
        let text = r#"{"row": 1, "rows": [{"amout": "1", "Recipient": 1, "recipient.name": 1, "recipient": {
            "nmae": 1, "adress": 1, "bankAdress": 1, "email": 1, "subscribedEmail": 1,
            "address": {"postCode": 1}, "bankAddress": {"branches": 1}, "subscribedEmails": [{"mail": 1}]}}]}"#;
        let body = Document::parse(text.as_bytes().to_vec()).unwrap();
        let (context, mut faults) = (Context { environment: Environment::Sandbox, budget: None }, Faults::default());
        crate::declare::read::<JsonUpload>(Some(&body), context, &mut faults).unwrap();
        let messages: Vec<_> = faults.into_vec().into_iter().map(|fault| fault.flaw.message.into_owned()).collect();
        let meant = [
            Some("rows"),
            Some("amount"),
            Some("recipient"),
            Some("recipient"),
            Some("name"),
            Some("address"),
            Some("bankAddress"),
            None,
            Some("subscribedEmails"),
            Some("postcode"),
            Some("branch"),
            Some("email"),
        ];
        let suggestion = |name| format!("unknown field; did you mean \"{name}\"?");
        assert_eq!(messages, meant.map(|name| name.map_or("unknown field".to_owned(), suggestion)));
    }

    #[test]
    fn every_object_has_its_names() {
        for (prefix, names) in &*OBJECTS {
            let unique: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{prefix}");
            assert!(of_object(prefix).all(|(name, _)| names.contains(&name)), "{prefix}");
        }
        assert!(member_names("").contains(&"recipient") && member_names("recipient.").contains(&EMAILS));
    }

    #[test]
    fn rows_are_required_and_limited_in_number() {
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
    fn at_most_1000_faults_are_reported() {
        let rows = vec![r#"{"amount": 1, "x": 1}"#; 3_000].join(",");
        assert_eq!(read(&format!(r#"{{"rows": [{rows}]}}"#)).1.len(), Faults::MAX);
        let members: Vec<_> = (0..100_000).map(|number| format!("\"m{number}\":0")).collect();
        assert_eq!(read(&format!("{{{}}}", members.join(","))).1.len(), Faults::MAX);
    }
}
