//! Tests that a download, uploaded again unchanged, gives the same payments, for every text that a CSV can hold.

use super::columns::COLUMNS;
use super::{read_csv, write_csv};
use chrono::DateTime;
use florin_domain::batch::{
    Alert, AlertCode, BatchContent, BatchState, Payment, PaymentBatch, PaymentInput, PaymentState,
};
use florin_domain::fault::Faults;
use florin_domain::ids::{AccountId, ClientId, PaymentBatchId, PaymentId};
use proptest::prelude::*;
use uuid::Uuid;

fn content(inputs: &[PaymentInput], alerts: Vec<Alert>) -> BatchContent {
    let (id, account) = (PaymentBatchId(Uuid::nil()), AccountId::parse("F1").unwrap());
    let batch = PaymentBatch {
        id,
        account: account.clone(),
        name: "x".to_owned(),
        state: BatchState::Draft,
        orders: Vec::new(),
        created_by: ClientId(Uuid::nil()),
        visible: true,
        locked: false,
        input: None,
        created_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
    };
    let payment = |(index, input): (u32, &PaymentInput)| Payment {
        id: PaymentId(Uuid::nil()),
        account: account.clone(),
        batch: id,
        index,
        state: PaymentState::Created,
        input: input.clone(),
        created_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
    };
    BatchContent { batch, payments: (0..).zip(inputs).map(payment).collect(), alerts }
}

fn read_back(bytes: &[u8]) -> Vec<PaymentInput> {
    let mut faults = Faults::default();
    let rows = read_csv::read(bytes, &mut faults).unwrap();
    assert_eq!(faults.into_vec(), []);
    assert!(rows.iter().all(|row| row.miscounted.is_none()));
    rows.into_iter().map(|row| row.input).collect()
}

/// Generates absent values, texts of characters that are special in a CSV or a spreadsheet, and other texts.
fn value() -> impl Strategy<Value = Option<String>> {
    let odd = "[\",;'=+@ \\-\\t\\r\\n\u{feff}\u{1f4b8}äa0]{1,6}";
    prop_oneof![2 => Just(None), 2 => odd.prop_map(Some), 1 => "[^\\x00]{1,20}".prop_map(Some)]
}

fn input() -> impl Strategy<Value = PaymentInput> {
    prop::collection::vec(value(), COLUMNS.len()).prop_map(|values| {
        let mut input = PaymentInput::default();
        for (column, value) in COLUMNS.iter().zip(values) {
            if value.is_some() {
                *(column.slot)(&mut input) = value;
            }
        }
        input
    })
}

proptest! {
    #[test]
    fn a_download_can_be_uploaded_again_unchanged(inputs in prop::collection::vec(input(), 0..8)) {
        let bytes = write_csv::download(&content(&inputs, Vec::new())).unwrap();
        prop_assert_eq!(read_back(&bytes), inputs);
    }
}

#[test]
fn the_template_is_an_upload_without_rows() {
    let template = write_csv::template().unwrap();
    assert_eq!(read_back(&template), []);
    assert!(template.starts_with(b"amount,currencyCode,") && template.ends_with(b"\r\n"));
}

#[test]
fn alerts_are_in_the_lines_of_their_rows() {
    let alert = |code: AlertCode, index, message: &str| Alert {
        at: DateTime::UNIX_EPOCH,
        kind: code.kind(),
        code,
        index,
        message: message.to_owned(),
    };
    let alerts = vec![
        alert(AlertCode::NoPayments, None, "of no row"),
        alert(AlertCode::AmountRequired, Some(1), "Give one."),
        alert(AlertCode::CurrencyRequired, Some(1), "Give one, too."),
        alert(AlertCode::DuplicatePayment, Some(1), "As row 0."),
    ];
    let bytes = write_csv::download(&content(&vec![PaymentInput::default(); 2], alerts)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].ends_with("recipient.bankAddress.countryCode,status,errors,warnings"), "{text}");
    assert!(lines[1].ends_with(",created,,"), "{text}");
    let expected =
        "created,\"amount_required: Give one. | currency_required: Give one, too.\",duplicate_payment: As row 0.";
    assert!(lines[2].ends_with(expected), "{text}");
}
