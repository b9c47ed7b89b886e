//! Tests that every alert code occurs, that all errors of a row are reported, and that rows do not affect each other.

use super::*;
use crate::batch::testing::{NOW, OTHER, abroad, basis, checked, euros, pounds, with_country};
use crate::batch::{AlertKind, EmailInput, PaymentNetwork};
use crate::money::Minor;
use proptest::prelude::*;

fn codes(input: PaymentInput) -> Vec<&'static str> {
    checked(vec![input]).alerts().iter().map(|alert| alert.code.as_str()).collect()
}

/// Returns a valid payment in pounds, changed by this function.
fn changed(change: impl FnOnce(&mut PaymentInput)) -> PaymentInput {
    let mut input = pounds("10.00");
    change(&mut input);
    input
}

#[expect(clippy::unnecessary_wraps, reason = "members of an input are optional")]
fn text(text: &str) -> Option<String> {
    Some(text.into())
}

#[test]
fn valid_payments_get_a_network_and_a_fee() {
    let dirhams = with_country(
        changed(|input| {
            input.currency_code = text("AED");
            input.funding_budget_id = text(&OTHER.to_string());
            input.purpose_code = text("SAL");
            input.recipient.account_identifier = text("AE070331234567890123456");
            input.recipient.bank_identifier = text("EBILAEAD");
        }),
        "AE",
    );
    let yen = with_country(
        changed(|input| {
            input.amount = text("10");
            input.currency_code = text("JPY");
            input.funding_budget_id = text(&OTHER.to_string());
            input.recipient.account_identifier = text("1234567");
            input.recipient.bank_identifier = text("BOTKJPJT");
        }),
        "JP",
    );
    let uk_iban = changed(|input| {
        input.recipient.account_identifier = text("GB29 NWBK 6016 1331 9268 19");
        input.recipient.bank_identifier = None;
    });
    for (input, network, fee) in [
        (pounds("10.00"), PaymentNetwork::FasterPayments, 0),
        (uk_iban, PaymentNetwork::FasterPayments, 0),
        (changed(|input| input.recipient.payment_network = text("CHAPS")), PaymentNetwork::Chaps, 0),
        (euros("10.00"), PaymentNetwork::Sepa, 0),
        (abroad("10.00"), PaymentNetwork::Swift, 500),
        (dirhams, PaymentNetwork::Swift, 500),
        (yen, PaymentNetwork::Swift, 500),
    ] {
        let rows = checked(vec![input]);
        assert_eq!(rows.alerts(), []);
        let terms = rows.rows()[0].terms.as_ref().unwrap();
        assert_eq!((terms.network, terms.fee), (network, Minor(fee)));
    }
}

#[test]
fn invalid_values_get_the_right_alert_codes() {
    let recipient = |change: fn(&mut crate::batch::RecipientInput)| changed(|input| change(&mut input.recipient));
    let email = |email: &str| vec![EmailInput { name: None, email: text(email) }];
    for (input, code) in vec![
        (changed(|i| i.amount = text(" ")), "amount_required"),
        (changed(|i| i.amount = text("ten")), "amount_invalid"),
        (changed(|i| i.amount = text("1.001")), "amount_too_precise"),
        (changed(|i| i.amount = text("0.00")), "amount_out_of_range"),
        (changed(|i| i.amount = text("1000000000.01")), "amount_out_of_range"),
        (changed(|i| i.currency_code = None), "currency_required"),
        (changed(|i| i.currency_code = text("XXX")), "currency_unknown"),
        (changed(|i| i.funding_budget_id = text("main")), "funding_budget_invalid"),
        (changed(|i| i.funding_budget_id = text(&uuid::Uuid::nil().to_string())), "funding_budget_not_found"),
        (PaymentInput { funding_budget_id: text(&OTHER.to_string()), ..euros("1") }, "funding_budget_currency"),
        (recipient(|r| r.name = text("")), "recipient_name_required"),
        (recipient(|r| r.kind = text("person")), "recipient_type_unknown"),
        (recipient(|r| r.account_identifier = None), "account_identifier_required"),
        (recipient(|r| r.account_identifier = text("1234567")), "account_number_invalid"),
        (recipient(|r| r.account_identifier = text("GB28NWBK60161331926819")), "iban_invalid"),
        (recipient(|r| r.account_identifier = text("DE89370400440532013000")), "bank_country_mismatch"),
        (recipient(|r| r.account_identifier = text("66374959")), "modulus_check_failed"),
        (recipient(|r| r.bank_identifier = text("NWBKUK2L")), "bank_identifier_invalid"),
        (recipient(|r| r.bank_identifier = text("0899999")), "sort_code_invalid"),
        (recipient(|r| r.account_identifier = text("GB29NWBK60161331926819")), "sort_code_invalid"),
        (recipient(|r| r.intermediary_bank_identifier = text("nowhere")), "bank_identifier_invalid"),
        (recipient(|r| r.payment_network = text("PIGEON")), "network_unknown"),
        (recipient(|r| r.payment_network = text("SEPA")), "network_currency"),
        (with_country(pounds("1"), "UK"), "country_unknown"),
        (changed(|i| i.reference = text("nineteen characters")), "reference_invalid"),
        (changed(|i| i.reference = text("Überweisung")), "reference_invalid"),
        (changed(|i| i.recipient.subscribed_emails = email("ann@")), "email_invalid"),
        (changed(|i| i.external_id = text(&"x".repeat(256))), "text_too_long"),
        (changed(|i| i.purpose = text("rent\0")), "text_invalid"),
    ] {
        let found = codes(input.clone());
        assert!(checked(vec![input.clone()]).rows()[0].terms.is_none(), "{code}");
        assert!(found.contains(&code), "{code}: {found:?} {input:?}");
        // These two values cause a second alert.
        let max = if code == "network_currency" || code == "account_number_invalid" { 2 } else { 1 };
        assert!(found.len() <= max, "{code} alone: {found:?}");
    }
}

#[test]
fn foreign_banks_need_more_details() {
    let abroad = |change: fn(&mut PaymentInput)| {
        let mut input = with_country(abroad("10.00"), "US");
        input.recipient.account_identifier = text("123456789");
        change(&mut input);
        codes(input)
    };
    assert_eq!(abroad(|_| {}), ["bank_identifier_required"]);
    assert_eq!(abroad(|i| i.recipient.bank_identifier = text("BOFAUS3N")), [""; 0]);
    let without_country = abroad(|i| {
        i.recipient.bank_identifier = text("BOFAUS3N");
        i.recipient.address = None;
    });
    assert_eq!(without_country, ["country_required"]);
    let to_dubai = |code: Option<&str>| {
        abroad(match code {
            None => |i: &mut PaymentInput| i.recipient.bank_identifier = text("EBILAEAD"),
            Some(_) => |i: &mut PaymentInput| {
                i.recipient.bank_identifier = text("EBILAEAD");
                i.purpose_code = text("XYZ");
            },
        })
    };
    assert_eq!(to_dubai(None), ["purpose_code_required"]);
    assert_eq!(to_dubai(Some("XYZ")), ["purpose_code_unknown"]);
    let chaps = abroad(|i| i.recipient.payment_network = text("CHAPS"));
    assert_eq!(chaps, ["bank_identifier_required"]);
    let euros_to_a_sort_code = PaymentInput { recipient: pounds("1").recipient, ..euros("1") };
    assert_eq!(codes(euros_to_a_sort_code), ["country_required"; 0], "Swift needs no country for a sort code");
}

#[test]
fn missing_rows_fields_and_values_are_reported() {
    let none = check_rows(vec![], basis(), NOW);
    assert!(none.has_errors());
    assert_eq!((none.alerts()[0].code, none.alerts()[0].index), (AlertCode::NoPayments, None));
    let miscounted = PaymentRow {
        miscounted: Some(FieldCount { line: 2, separator: Separator::Comma, ends_empty: false, found: 3, expected: 4 }),
        ..PaymentRow::default()
    };
    let rows = check_rows(vec![miscounted], basis(), NOW);
    assert_eq!(rows.alerts().iter().map(|alert| alert.code).collect::<Vec<_>>(), [AlertCode::WrongNumberOfFields]);
    let empty = codes(PaymentInput::default());
    let expected = ["currency_required", "amount_required", "recipient_name_required", "account_identifier_required"];
    assert_eq!(empty, expected, "every error of the row");
    let no_default = CheckBasis { default_budget: None, ..basis() };
    let row = PaymentRow { input: pounds("1"), miscounted: None };
    assert_eq!(check_rows(vec![row], no_default, NOW).alerts()[0].code, AlertCode::FundingBudgetRequired);
}

#[test]
fn a_duplicate_gets_a_warning_that_names_the_first_row() {
    let without_hyphens = changed(|input| input.recipient.bank_identifier = text("089999"));
    let another = changed(|input| {
        input.recipient.bank_identifier = text("601613");
        input.recipient.account_identifier = text("31926819");
    });
    let rows = checked(vec![another, pounds("10.00"), pounds("10.01"), without_hyphens, pounds("10")]);
    let found: Vec<_> = rows.alerts().iter().map(|alert| (alert.index, alert.code, alert.kind)).collect();
    let warned = |index| (Some(index), AlertCode::DuplicatePayment, AlertKind::Warning);
    assert_eq!(found, [warned(3), warned(4)]);
    assert!(rows.alerts().iter().all(|alert| alert.message.contains("row 1 ")));
    assert!(!rows.has_errors() && rows.rows().iter().all(|row| row.terms.is_some()));
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof![
        ".*",
        "[A-Z]{2}[0-9]{2}[A-Z0-9]{0,40}",
        "[0-9 -]{0,12}",
        "[A-Z]{3}",
        "[0-9.]{0,9}"
    ])
}

fn any_input() -> impl Strategy<Value = PaymentInput> {
    proptest::collection::vec(any_text(), 14).prop_map(|texts| {
        let mut texts = texts.into_iter().map(Option::unwrap_or_default).map(Some);
        let mut next = || texts.next().flatten();
        let mut input = with_country(PaymentInput::default(), &next().unwrap_or_default());
        input.amount = next();
        input.currency_code = next();
        input.funding_budget_id = next();
        input.purpose_code = next();
        input.reference = next();
        input.recipient.default_reference = next();
        input.recipient.kind = next();
        input.recipient.name = next();
        input.recipient.account_identifier = next();
        input.recipient.bank_identifier = next();
        input.recipient.intermediary_bank_identifier = next();
        input.recipient.payment_network = next();
        input.recipient.subscribed_emails = vec![EmailInput { name: None, email: next() }];
        input
    })
}

proptest! {
    #[test]
    fn no_text_panics_and_every_row_without_terms_has_an_error(inputs in proptest::collection::vec(any_input(), 1..4)) {
        let rows = checked(inputs);
        for (index, row) in (0..).zip(rows.rows()) {
            let has_error = rows.alerts().iter().any(|a| a.index == Some(index) && a.kind == AlertKind::Error);
            prop_assert_eq!(row.terms.is_none(), has_error);
        }
    }

    #[test]
    fn a_row_is_checked_independently(before in proptest::collection::vec(any_input(), 0..4), row in any_input()) {
        for input in [row, pounds("1.00"), euros("1.00")] {
            let alone = checked(vec![input.clone()]);
            let mut all = before.clone();
            all.push(input);
            let together = checked(all);
            let of_last = |rows: &CheckedRows| {
                let last = u32::try_from(rows.rows().len() - 1).unwrap();
                let errors = rows.alerts().iter().filter(|a| a.index == Some(last) && a.kind == AlertKind::Error);
                let terms = rows.rows().last().map(|r| r.terms.clone());
                (errors.map(|a| (a.code, a.message.clone())).collect::<Vec<_>>(), terms)
            };
            prop_assert_eq!(of_last(&alone), of_last(&together));
        }
    }
}

#[test]
fn a_lost_zero_is_suggested() {
    let messages = |bank: &str, account: &str| {
        let input = changed(|input| {
            input.recipient.bank_identifier = text(bank);
            input.recipient.account_identifier = text(account);
        });
        checked(vec![input]).alerts().iter().map(|alert| alert.message.clone()).collect::<Vec<_>>()
    };
    let sort_code =
        "recipient.bankIdentifier must be a sort code of 6 digits, or a BIC (got \"89999\"); did you mean 089999?";
    let account = "recipient.accountIdentifier must be 8 digits, because bankIdentifier is a sort code \
        (got \"6774744\"); did you mean 06774744?";
    assert_eq!(messages("89999", "66374958"), [sort_code]);
    assert_eq!(messages("08-60-90", "6774744"), [account]);
    assert_eq!(messages("89999", "6774744"), [sort_code, account]);
    for (bank, account) in [("0899999", "66374958"), ("089999", "12345"), ("8999", "66374958")] {
        assert!(messages(bank, account).iter().all(|message| !message.contains("did you mean")), "{bank} {account}");
    }
}
