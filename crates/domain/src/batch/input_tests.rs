//! Tests that stored payments stay readable: the names of their fields never change.

use super::testing::{pounds, with_country};
use super::{BankAddressInput, EmailInput, PaymentInput};

#[test]
fn field_names_match_the_api() {
    let mut input = with_country(pounds("10.00"), "GB");
    input.funding_budget_id = Some("b".into());
    input.recipient.kind = Some("business".into());
    input.recipient.subscribed_emails = vec![EmailInput { name: None, email: Some("a@b.example".into()) }];
    input.recipient.bank_address = Some(BankAddressInput { bank_name: Some("Bank".into()), ..Default::default() });
    let text = serde_json::to_string(&input).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"amount":"10.00","currencyCode":"GBP","fundingBudgetId":"b","reference":"Invoice 12","#,
            r#""recipient":{"type":"business","name":"Ann Archer","subscribedEmails":[{"email":"a@b.example"}],"#,
            r#""accountIdentifier":"66374958","bankIdentifier":"08-99-99","address":{"countryCode":"GB"},"#,
            r#""bankAddress":{"bankName":"Bank"}}}"#
        )
    );
    assert_eq!(serde_json::from_str::<PaymentInput>(&text).unwrap(), input);
}

#[test]
fn payments_stored_by_other_versions_can_be_read() {
    let input: PaymentInput = serde_json::from_str(r#"{"amount":"x\u0000","colour":"red"}"#).unwrap();
    assert_eq!(input, PaymentInput { amount: Some("x\0".into()), ..PaymentInput::default() });
}
