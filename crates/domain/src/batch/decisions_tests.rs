//! Tests of the rules that create, fill, edit and cancel batches.

use super::testing::{
    BATCH, CLIENT, MAIN, NOW, OTHER, abroad, account, basis, created, currency, euros, funding, ids_from, pounds,
    upload,
};
use super::*;
use crate::event::EventKind;
use crate::ledger::{Balances, JournalKind};
use crate::money::Minor;
use crate::stamp::Stamp;
use crate::test_support::a_batch_state;
use chrono::TimeDelta;

fn uploaded(batch: PaymentBatch, inputs: Vec<PaymentInput>) -> Result<UploadDecision, UploadRefusal> {
    let situation = UploadSituation { batch, funding: funding() };
    let now = NOW + TimeDelta::minutes(1);
    decide_upload(&situation, &upload(inputs), &Stamp { now, ids: &ids_from(3000) })
}

#[test]
fn an_empty_batch_is_a_draft_with_a_name() {
    let empty = created(None);
    assert_eq!(
        (empty.batch.status(), empty.batch.locked, empty.batch.input.clone()),
        (PaymentBatchStatus::Draft, false, None)
    );
    assert_eq!(empty.events, []);
    let request =
        CreateRequest { id: BATCH, account: account(), client: CLIENT, name: None, visible: false, payments: None };
    let unnamed = decide_create(&funding(), &request, &Stamp { now: NOW, ids: &ids_from(1) }).unwrap().batch;
    assert_eq!((unnamed.name.as_str(), unnamed.visible), ("Payment batch 1970-01-01 00:00", false));
}

#[test]
fn a_batch_created_with_payments_is_locked() {
    let good = created(Some(vec![pounds("1.00")])).batch;
    assert_eq!((good.status(), good.locked), (PaymentBatchStatus::Validated, true));
    assert_eq!(uploaded(good, vec![pounds("2.00")]), Err(UploadRefusal::Locked));
    let bad = created(Some(vec![pounds("")])).batch;
    assert_eq!((bad.status(), bad.locked), (PaymentBatchStatus::Draft, true));
}

#[test]
fn valid_payments_are_grouped_into_orders_by_budget_and_currency() {
    let mut other = pounds("4.00");
    other.funding_budget_id = Some(OTHER.to_string());
    let rows = vec![pounds("1.00"), euros("2.00"), abroad("3.00"), pounds("x"), other];
    let decision = uploaded(created(None).batch, rows).unwrap();
    let seen: Vec<_> =
        decision.batch.orders.iter().map(|o| (o.budget, o.currency.code(), o.total.0, o.fees.0)).collect();
    assert_eq!(seen, [(MAIN, "GBP", 400, 500), (MAIN, "EUR", 200, 0), (OTHER, "GBP", 400, 0)]);
    let statuses: Vec<_> = decision.payments.iter().map(|payment| payment.status().as_str()).collect();
    assert_eq!(statuses, ["validated", "validated", "validated", "created", "validated"]);
    assert_eq!(decision.batch.status(), PaymentBatchStatus::Draft);
    assert_eq!(decision.batch.input.as_ref().unwrap().status, InputStatus::Failed);
    let corrected = uploaded(decision.batch, vec![pounds("1.00")]).unwrap();
    assert_eq!((corrected.batch.status(), corrected.batch.orders.len()), (PaymentBatchStatus::Validated, 1));
    assert_eq!((corrected.payments.len(), corrected.alerts.len()), (1, 0));
}

#[test]
fn rows_are_checked_again_when_the_budgets_have_changed() {
    let situation = UploadSituation { batch: created(None).batch, funding: FundingBudgets::new() };
    let stamp = Stamp { now: NOW, ids: &ids_from(1) };
    let decision = decide_upload(&situation, &upload(vec![pounds("1.00")]), &stamp).unwrap();
    assert_eq!(decision.alerts[0].code, AlertCode::FundingBudgetNotFound);
    assert_eq!(decision.batch.status(), PaymentBatchStatus::Draft);
}

#[test]
fn a_batch_past_validated_rejects_uploads() {
    for status in PaymentBatchStatus::ALL {
        let batch = PaymentBatch { state: a_batch_state(status), ..created(None).batch };
        let open = matches!(status, PaymentBatchStatus::Draft | PaymentBatchStatus::Validated);
        let refused = Err(UploadRefusal::State(IllegalBatchTransition { current: status }));
        let answer = uploaded(batch, vec![pounds("1.00")]).map(|_| ());
        assert_eq!(answer, if open { Ok(()) } else { refused }, "{status}");
    }
}

#[test]
fn an_edit_changes_only_the_given_fields() {
    let batch = created(None).batch;
    let later = NOW + TimeDelta::hours(1);
    assert_eq!(decide_edit(&batch, &BatchEdit::default(), later), batch);
    let edit = BatchEdit { name: BatchName::parse("Rent").ok(), visible: Some(false) };
    let edited = decide_edit(&batch, &edit, later);
    assert_eq!((edited.name.as_str(), edited.visible, edited.updated_at), ("Rent", false, later));
    assert_eq!(edited.status(), batch.status());
}

#[test]
fn cancelling_releases_what_was_reserved() {
    let key = (MAIN, currency("GBP"));
    let balances_of = |available, reserved| Balances::new(Minor(available), Minor(0), Minor(reserved)).unwrap();
    let stamp = Stamp { now: NOW, ids: &ids_from(1) };
    for status in PaymentBatchStatus::ALL {
        let batch = PaymentBatch { state: a_batch_state(status), ..created(Some(vec![abroad("10.00")])).batch };
        let situation = CancelSituation { batch, balances: [(key, balances_of(0, 1_500))].into() };
        let answer = decide_cancel(&situation, &stamp);
        match status {
            PaymentBatchStatus::Draft | PaymentBatchStatus::Validated => {
                let decision = answer.unwrap();
                assert_eq!((decision.journal.len(), decision.payments), (0, BulkStatus::Cancelled));
            }
            PaymentBatchStatus::Confirmed => {
                let decision = answer.unwrap();
                assert_eq!(decision.balances[&key], balances_of(1_500, 0));
                assert_eq!(decision.journal[0].kind, JournalKind::BatchRelease);
                let kinds: Vec<_> = decision.events.iter().map(|event| event.kind).collect();
                assert_eq!(kinds, [EventKind::PaymentBatchOrderCancelled, EventKind::PaymentBatchCancelled]);
            }
            _ => assert_eq!(answer, Err(CancelRefusal::State(IllegalBatchTransition { current: status }))),
        }
    }
}

#[test]
fn obstacles_to_a_confirmation() {
    let key = (MAIN, currency("GBP"));
    let with_available = |minor| BatchBalances::from([(key, Balances::new(Minor(minor), Minor(0), Minor(0)).unwrap())]);
    let batch = created(Some(vec![abroad("10.00")])).batch;
    assert!(check_confirmable(&batch, &with_available(1_500)).unwrap().is_valid());
    let short = check_confirmable(&batch, &with_available(1_499)).unwrap();
    assert_eq!((short.status, short.shortages.len()), (None, 1), "the fee must be available, too");
    assert_eq!(short.shortages[0].needed.to_string(), "15.00");
    let draft = check_confirmable(&created(None).batch, &with_available(0)).unwrap();
    assert_eq!(draft.status, Some(IllegalBatchTransition { current: PaymentBatchStatus::Draft }));
    let confirmed = PaymentBatch { state: a_batch_state(PaymentBatchStatus::Confirmed), ..batch };
    assert!(
        check_confirmable(&confirmed, &with_available(0)).unwrap().shortages.is_empty(),
        "its money is already reserved"
    );
}

#[test]
fn ten_thousand_rows_full_of_errors_are_checked_quickly() {
    let rows = vec![PaymentRow::default(); 10_000];
    let checked = check_rows(rows, basis(), NOW);
    assert_eq!(checked.alerts().len(), 40_000);
    let same: Vec<_> = (0..10_000).map(|_| PaymentRow { input: pounds("1.00"), miscounted: None }).collect();
    assert_eq!(check_rows(same, basis(), NOW).alerts().len(), 9_999, "duplicates are found in one pass");
}
