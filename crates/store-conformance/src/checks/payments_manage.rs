//! Checks that batches are created, uploaded, edited and cancelled atomically.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{absent, duplicate, expect_new, expect_some, expect_true, refused, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, content, create, empty, statuses, summary, upload,
};
use crate::seed_data::{Who, gbp, jpy, noon, seed_store};
use florin_domain::batch::{
    BatchState, BatchSummary, FundingBudgets, IllegalBatchTransition, PaymentBatch, PaymentBatchStatus, PaymentStatus,
    UploadRefusal, UploadSituation,
};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::ledger::Balances;
use florin_ports::{CreateBatchCommand, EditBatchCommand, StoreError, UploadCommand};
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "batch_management.create.stores_the_whole_decision" => stores_the_whole_decision,
    "batch_management.create.is_shown_what_the_account_can_pay_from" => shown_funding,
    "batch_management.create.twice_is_a_duplicate_and_leaves_nothing" => created_twice,
    "batch_management.create.unknown_account_is_absent" => unknown_account,
    "batch_management.create.refusal_stores_nothing" => create_refused,
    "batch_management.upload.takes_the_place_of_all_earlier_payments" => takes_the_place_of_all_earlier_payments,
    "batch_management.upload.refusal_changes_nothing" => upload_refused,
    "batch_management.upload.failure_leaves_what_was" => upload_failed,
    "batch_management.upload.is_shown_what_was_decided_before" => shown_batch,
    "batch_management.edit.changes_name_and_visibility_in_any_state" => changes_name_and_visibility_in_any_state,
    "batch_management.cancel.releases_amounts_and_fees" => releases_amounts_and_fees,
    "batch_management.cancel.before_confirmation_moves_no_money" => cancelled_early,
    "batch_management.cancel.refusal_changes_nothing" => cancel_refused,
    "batch_management.cancel.failure_leaves_what_was" => cancel_failed,
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = NewPayments::of(1, 5).with_faults(&[1, 3]);
    let mut batch = empty(Who::Main, 1, after(5))?;
    (batch.visible, batch.name) = (false, "Löhne".into());
    let command = create(Who::Main, batch.clone(), Some(new_payments.clone()))?;
    let decision = (command.decide)(&FundingBudgets::new()).map_err(|refusal| Failure::new(refusal.to_string()))?;
    let done = expect_new(handle.management.create(command).await)?;
    let expected = BatchSummary { batch: decision.batch.clone(), alerts: decision.alerts.clone() };
    same("the answer", &done, &expected)?;
    same("what is found", summary(&handle, Who::Main, batch_id(1)).await?, expected)?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("the batch", found.batch, decision.batch)?;
    same("its payments", found.payments, decision.payments)?;
    same("its alerts", found.alerts, decision.alerts)?;
    books_are_right(&handle).await
}

async fn shown_funding(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let seen = Arc::new(Mutex::new(None));
    let mut command = create(Who::Main, empty(Who::Main, 1, noon())?, None)?;
    let (rule, observer) = (command.decide, Arc::clone(&seen));
    command.decide = Arc::new(move |funding: &FundingBudgets| {
        *observer.lock().unwrap_or_else(PoisonError::into_inner) = Some(funding.clone());
        rule(funding)
    });
    expect_new(handle.management.create(command).await)?;
    let expected = FundingBudgets::from([
        (Who::Main.budget(), [gbp()?, jpy()?].into()),
        (Who::Main.second_budget(), [gbp()?].into()),
        (Who::Main.parent_budget(), [florin_domain::money::Currency::parse("EUR")?, gbp()?, jpy()?].into()),
    ]);
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    same("what the rule is shown", expect_some("what the rule was shown", seen)?, expected.clone())?;
    same("what is read", handle.reading.funding(&Who::Main.account()?).await?, expected)?;
    same(
        "the funding budgets of an unknown account",
        handle.reading.funding(&AccountId::parse("F99")?).await?,
        FundingBudgets::new(),
    )
}

async fn created_twice(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(NewPayments::of(1, 2)))?).await,
    )?;
    let before = Observation::take(&handle, 0).await?;
    // First the id of an existing batch, then the id of an existing payment.
    for (number, first) in [(1, 100), (2, 0)] {
        let command = create(Who::Main, empty(Who::Main, number, noon())?, Some(NewPayments::of(first, 2)))?;
        let error = store_failed(handle.management.create(command).await)?;
        duplicate::<()>("an id that is taken", &Err(error))?;
        before.still_holds("a batch that could not be created", &handle).await?;
    }
    let mut stranger = empty(Who::Main, 3, noon())?;
    stranger.created_by = ClientId(crate::seed_data::uuid(99, 9));
    let error = store_failed(handle.management.create(create(Who::Main, stranger, None)?).await)?;
    expect_true("a missing client is not reported as missing", matches!(error, StoreError::NotFound(_)))?;
    before.still_holds("a batch of nobody", &handle).await
}

async fn unknown_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 0).await?;
    let command = create(Who::Main, empty(Who::Main, 1, noon())?, None)?;
    let command = CreateBatchCommand { account: AccountId::parse("F99")?, ..command };
    absent("a missing account", &handle.management.create(command).await)?;
    before.still_holds("a batch on no account", &handle).await
}

async fn create_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 0).await?;
    let mut batch = empty(Who::Main, 1, noon())?;
    batch.locked = true;
    let refusal = refused(handle.management.create(create(Who::Main, batch, Some(NewPayments::of(1, 3)))?).await)?;
    same("the refusal", refusal, UploadRefusal::Locked)?;
    before.still_holds("a batch that was refused", &handle).await
}

async fn takes_the_place_of_all_earlier_payments(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, None)?).await)?;
    // Some uploads contain more payments than the upload before, some fewer, one the same ids again, and the last none.
    let faulty = NewPayments::of(100, 7).with_faults(&[0, 6]);
    let uploads = [
        NewPayments::of(1, 5),
        faulty.clone(),
        NewPayments::of(200, 3),
        NewPayments { at: after(9), ..faulty },
        NewPayments::of(1, 9),
        NewPayments::of(0, 0),
    ];
    for new_payments in uploads {
        let command = upload(Who::Main, batch_id(1), new_payments)?;
        let before = summary(&handle, Who::Main, batch_id(1)).await?.batch;
        let situation = UploadSituation { batch: before, funding: FundingBudgets::new() };
        let expected = (command.decide)(&situation).map_err(|refusal| Failure::new(refusal.to_string()))?;
        same("the answer", expect_new(handle.management.upload(command).await)?, expected.batch.clone())?;
        let found = content(&handle, Who::Main, batch_id(1)).await?;
        same("the batch", found.batch, expected.batch)?;
        same("its payments", found.payments, expected.payments)?;
        same("its alerts", found.alerts, expected.alerts)?;
    }
    books_are_right(&handle).await
}

async fn upload_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut locked = empty(Who::Main, 2, noon())?;
    locked.locked = true;
    expect_new(handle.management.create(create(Who::Main, locked, None)?).await)?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let before = Observation::take(&handle, 0).await?;
    let refusal = refused(handle.management.upload(upload(Who::Main, batch_id(1), NewPayments::of(50, 2))?).await)?;
    same(
        "the refusal",
        refusal,
        UploadRefusal::State(IllegalBatchTransition { current: PaymentBatchStatus::Confirmed }),
    )?;
    let refusal = refused(handle.management.upload(upload(Who::Main, batch_id(2), NewPayments::of(50, 2))?).await)?;
    same("the refusal", refusal, UploadRefusal::Locked)?;
    before.still_holds("an upload that was refused", &handle).await
}

async fn upload_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, first) in [(1, 1), (2, 100)] {
        let new_payments = NewPayments::of(first, 4).with_faults(&[2]);
        expect_new(
            handle.management.create(create(Who::Main, empty(Who::Main, number, noon())?, Some(new_payments))?).await,
        )?;
    }
    let before = Observation::take(&handle, 0).await?;
    // The last payment has the id of a payment of another batch.
    let error = store_failed(handle.management.upload(upload(Who::Main, batch_id(1), NewPayments::of(98, 3))?).await)?;
    duplicate::<()>("the id of another payment", &Err(error))?;
    before.still_holds("an upload that failed half-way", &handle).await?;
    // The orders name a budget of another account.
    let mut command = upload(Who::Main, batch_id(1), NewPayments::of(500, 3))?;
    let rule = command.decide;
    command.decide = Arc::new(move |situation: &UploadSituation| {
        let mut decision = rule(situation)?;
        decision.batch.orders.iter_mut().for_each(|order| order.budget = Who::Other.budget());
        Ok(decision)
    });
    store_failed(handle.management.upload(command).await)?;
    before.still_holds("an upload whose budget is another account's", &handle).await
}

async fn shown_batch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let batch = add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let seen = Arc::new(Mutex::new(None));
    let observer = Arc::clone(&seen);
    let decide = Arc::new(move |situation: &UploadSituation| {
        *observer.lock().unwrap_or_else(PoisonError::into_inner) = Some(situation.batch.clone());
        Err(UploadRefusal::Locked)
    });
    let command = UploadCommand { account: Who::Main.account()?, batch: batch_id(1), decide, claim: None };
    refused(handle.management.upload(command).await)?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    same("what the rule is shown", seen, Some(batch))
}

async fn changes_name_and_visibility_in_any_state(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = NewPayments::of(1, 120).with_faults(&(0..60).collect::<Vec<_>>());
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments.clone()))?).await,
    )?;
    let confirmed = add_confirmed_batch(&handle, Who::Main, 2, 2).await?;
    for id in [batch_id(1), confirmed.id] {
        let before = content(&handle, Who::Main, id).await?;
        let decide = Arc::new(|batch: &PaymentBatch| PaymentBatch {
            name: "新しい".into(),
            visible: false,
            updated_at: after(77),
            ..batch.clone()
        });
        let command = EditBatchCommand { account: Who::Main.account()?, batch: id, decide, claim: None };
        let done = expect_new(handle.management.edit(command).await)?;
        let expected =
            PaymentBatch { name: "新しい".into(), visible: false, updated_at: after(77), ..before.batch.clone() };
        same("the answer", &done.batch, &expected)?;
        let first: Vec<_> = before.alerts.iter().take(BatchSummary::MAX_ALERTS).cloned().collect();
        same("its first alerts", &done.alerts, &first)?;
        let now = content(&handle, Who::Main, id).await?;
        same("what is stored", (now.batch, now.payments, now.alerts), (expected, before.payments, before.alerts))?;
    }
    Ok(())
}

/// Returns the GBP balances of my first and my second budget.
pub(super) async fn balance_set(handle: &Handle) -> Result<Vec<Balances>, Failure> {
    let budgets = handle.seeding.budgets(&Who::Main.account()?).await?;
    let gbp = gbp()?;
    let others = budgets.iter().filter(|budget| budget.id != Who::Main.parent_budget());
    Ok(others.filter_map(|budget| budget.in_currency(gbp)).collect())
}

async fn releases_amounts_and_fees(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let untouched = balance_set(&handle).await?;
    let batch = add_confirmed_batch(&handle, Who::Main, 1, 6).await?;
    expect_true("nothing is reserved", balance_set(&handle).await? != untouched)?;
    let done = expect_new(handle.management.cancel(cancel(Who::Main, batch_id(1), 700)?).await)?;
    let state = BatchState::Cancelled(batch.state.confirmation());
    let expected = PaymentBatch { state, updated_at: after(60), ..batch };
    same("the answer", &done, &expected)?;
    let now = content(&handle, Who::Main, batch_id(1)).await?;
    same("the batch", now.batch, expected)?;
    same("its payments", statuses(&now.payments), vec![(PaymentStatus::Cancelled, 6)])?;
    expect_true("a payment has another time", now.payments.iter().all(|payment| payment.updated_at == after(60)))?;
    same("the balances", balance_set(&handle).await?, untouched)?;
    same("work", handle.processing.claim(crate::payments::claim(1, after(999), 9)).await?, vec![])?;
    books_are_right(&handle).await
}

async fn cancelled_early(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let untouched = balance_set(&handle).await?;
    let new_payments = NewPayments::of(1, 4).with_faults(&[1]);
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments))?).await)?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(1), 700)?).await)?;
    let now = content(&handle, Who::Main, batch_id(1)).await?;
    same("its payments", statuses(&now.payments), vec![(PaymentStatus::Cancelled, 4)])?;
    same("its alerts", now.alerts.len(), 2)?;
    same("the balances", balance_set(&handle).await?, untouched)?;
    books_are_right(&handle).await
}

async fn cancel_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(1), 700)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    refused(handle.management.cancel(cancel(Who::Main, batch_id(1), 800)?).await)?;
    before.still_holds("a second cancellation", &handle).await
}

async fn cancel_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let before = Observation::take(&handle, 0).await?;
    // Its second journal id already belongs to the reservation.
    store_failed(handle.management.cancel(cancel(Who::Main, batch_id(1), 99_999)?).await)?;
    before.still_holds("a cancellation that failed half-way", &handle).await?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(1), 700)?).await)?;
    books_are_right(&handle).await
}
