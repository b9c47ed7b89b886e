//! Checks of the processing of confirmed batches: starting batches and payments, and recording reports.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, claim, claim_one, content, create, empty, payment_id, record,
    start, start_payments, statuses, summary, upload,
};
use crate::seed_data::{Who, gbp, noon, seed_store};
use florin_domain::batch::{
    BatchState, FailureReason, IllegalBatchTransition, Payment, PaymentBatch, PaymentBatchStatus, PaymentOutcome,
    PaymentState, PaymentStatus, Processing, SettleDecision, SettleRefusal, SettleSituation, StartedTerms,
};
use florin_domain::ids::{BudgetId, PaymentId};
use florin_domain::ledger::{AmountOutOfRange, Balances};
use florin_domain::money::Minor;
use florin_ports::{ClaimCommand, Lease, ProcessingError, RecordCommand};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "batch_processing.start.stores_the_decision_once" => stores_the_decision_once,
    "batch_processing.start_payments.starts_each_once_by_index" => starts_each_once_by_index,
    "batch_processing.due.longest_due_first_and_bounded" => due_longest_due_first_and_bounded,
    "batch_processing.record.settles_money_and_ends_the_batch" => settles_money_and_ends_the_batch,
    "batch_processing.record.twice_changes_nothing" => recorded_twice,
    "batch_processing.record.a_completed_payment_may_come_back" => a_completed_payment_may_come_back,
    "batch_processing.record.all_failed_is_a_failed_batch" => all_failed,
    "batch_processing.record.is_shown_the_payments_of_the_batch_only" => record_is_shown_the_payments_of_the_batch_only,
    "batch_processing.record.refusal_or_failure_changes_nothing" => record_failed,
}

/// Creates and starts batch `number` with `count` payments, and starts all of them.
pub(super) async fn start_batch(handle: &Handle, number: u128, count: u32) -> Result<(Lease, Vec<PaymentId>), Failure> {
    add_confirmed_batch(handle, Who::Main, number, count).await?;
    let lease = claim_one(handle, number, after(80)).await?;
    handle.processing.start(start(&lease, number * 1_000_000 + 1)).await?;
    let taken = handle.processing.start_payments(start_payments(&lease, count, number * 1_000_000 + 10)).await?;
    Ok((lease, taken.into_iter().map(|payment| payment.id).collect()))
}

async fn stores_the_decision_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let batch = add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    let done = handle.processing.start(start(&lease, 1)).await?;
    let confirmation = expect_some("a confirmation", batch.state.confirmation())?;
    let state = BatchState::Started(Processing { confirmation, orders_sent_at: Some(after(90)) });
    let expected = PaymentBatch { state, updated_at: after(90), ..batch };
    same("the answer", &done, &expected)?;
    same("what is stored", summary(&handle, Who::Main, batch_id(1)).await?.batch, expected)?;
    let again = handle.processing.start(start(&lease, 50)).await;
    let illegal = IllegalBatchTransition { current: PaymentBatchStatus::Started };
    expect_true("it starts again", matches!(again, Err(ProcessingError::Refused(found)) if found == illegal))
}

async fn starts_each_once_by_index(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 7).await?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    same("before it has started", handle.processing.start_payments(start_payments(&lease, 9, 1)).await?, vec![])?;
    handle.processing.start(start(&lease, 10)).await?;
    for (max, expected, ids) in [(3, vec![0, 1, 2], 20), (3, vec![3, 4, 5], 30), (9, vec![6], 40), (9, vec![], 50)] {
        let done = handle.processing.start_payments(start_payments(&lease, max, ids)).await?;
        same("the started payments", done.iter().map(|payment| payment.index).collect::<Vec<_>>(), expected)?;
        let stored = content(&handle, Who::Main, batch_id(1)).await?.payments;
        for payment in done {
            let terms = *expect_some("terms", payment.terms())?;
            let sent = StartedTerms { terms, started_at: after(91) };
            same("its state", payment.state, PaymentState::Started { sent, ask_at: after(120) })?;
            same("what is stored", stored.get(payment.index as usize), Some(&payment))?;
        }
    }
    books_are_right(&handle).await
}

async fn due_longest_due_first_and_bounded(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 6).await?;
    for (payment, seconds) in payments.iter().zip([300, 200, 250, 200, 400]) {
        let pending = record(&lease, &[*payment], PaymentOutcome::Pending, Some(after(seconds)), 1);
        handle.processing.record(pending).await?;
    }
    let indexes = |payments: Vec<Payment>| payments.into_iter().map(|payment| payment.index).collect::<Vec<_>>();
    for (seconds, max, expected) in [
        (119, 9, vec![]),
        (120, 9, vec![5]),
        (299, 9, vec![5, 1, 3, 2]),
        (300, 9, vec![5, 1, 3, 2, 0]),
        (999, 3, vec![5, 1, 3]),
    ] {
        let found = handle.processing.due(&lease, after(seconds), max).await?;
        same("what is due", indexes(found), expected)?;
    }
    Ok(())
}

/// Expects that the store contains exactly what the decision contains.
async fn expect_stored(handle: &Handle, decision: &SettleDecision) -> CheckResult {
    let found = content(handle, Who::Main, batch_id(1)).await?;
    for payment in &decision.payments {
        same("a payment", found.payments.get(payment.index as usize), Some(payment))?;
    }
    if let Some(batch) = &decision.batch {
        same("the batch", &found.batch, batch)?;
    }
    books_are_right(handle).await
}

async fn settles_money_and_ends_the_batch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 6).await?;
    // The first budget funds payments 0 (1.00 and a fee), 2 (1.02) and 4 (1.04).
    same(
        "the balances of the reservation",
        balances(&handle, Who::Main, gbp()?).await?,
        Balances::new(Minor(9_189), Minor(0), Minor(311))?,
    )?;
    let [zero, one, two, three, four, five] = payments[..] else {
        return Err(Failure::new("six payments are expected"));
    };
    let done = handle.processing.record(record(&lease, &[zero, one], PaymentOutcome::Completed, None, 10)).await?;
    same("what changed", (done.payments.len(), done.journal.len(), done.batch.is_none()), (2, 2, true))?;
    expect_stored(&handle, &done).await?;
    same(
        "the balances after a payment was paid",
        balances(&handle, Who::Main, gbp()?).await?,
        Balances::new(Minor(9_189), Minor(0), Minor(206))?,
    )?;
    let failed = PaymentOutcome::Failed(FailureReason::AccountNotFound);
    let done = handle.processing.record(record(&lease, &[two, three], failed, None, 20)).await?;
    expect_stored(&handle, &done).await?;
    same(
        "the balances after a payment failed",
        balances(&handle, Who::Main, gbp()?).await?,
        Balances::new(Minor(9_291), Minor(0), Minor(104))?,
    )?;
    let pending = record(&lease, &[four, five], PaymentOutcome::Pending, Some(after(700)), 30);
    expect_stored(&handle, &handle.processing.record(pending).await?).await?;
    let back = PaymentOutcome::Returned(FailureReason::Compliance);
    let done = handle.processing.record(record(&lease, &[four, five], back, None, 40)).await?;
    same("the end", done.batch.as_ref().map(PaymentBatch::status), Some(PaymentBatchStatus::Completed))?;
    expect_stored(&handle, &done).await?;
    same(
        "the balances after a payment was returned",
        balances(&handle, Who::Main, gbp()?).await?,
        Balances::new(Minor(9_395), Minor(0), Minor(0))?,
    )?;
    let ends = [(PaymentStatus::Completed, 2), (PaymentStatus::Failed, 2), (PaymentStatus::Returned, 2)];
    same("the payments", statuses(&content(&handle, Who::Main, batch_id(1)).await?.payments), ends.to_vec())
}

async fn recorded_twice(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 4).await?;
    let command = |ids| record(&lease, &payments, PaymentOutcome::Completed, None, ids);
    handle.processing.record(command(10)).await?;
    let before = Observation::take(&handle, 0).await?;
    same("what a second report changes", handle.processing.record(command(100)).await?, SettleDecision::default())?;
    // A late report with a different outcome changes nothing either.
    let late = record(&lease, &payments, PaymentOutcome::Failed(FailureReason::Compliance), None, 200);
    same("what a late report changes", handle.processing.record(late).await?, SettleDecision::default())?;
    before.still_holds("a second report", &handle).await?;
    books_are_right(&handle).await
}

async fn a_completed_payment_may_come_back(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 2).await?;
    handle.processing.record(record(&lease, &payments, PaymentOutcome::Completed, Some(after(102)), 10)).await?;
    let before = balances(&handle, Who::Main, gbp()?).await?;
    let back = PaymentOutcome::Returned(FailureReason::AccountClosed);
    let done = handle.processing.record(record(&lease, &payments, back, None, 20)).await?;
    same("what changed", (done.payments.len(), done.journal.len(), done.batch.is_none()), (2, 2, true))?;
    expect_stored(&handle, &done).await?;
    // The amount is returned, the fee is not.
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balance", now.available().0 - before.available().0, 100)
}

async fn all_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let untouched = balances(&handle, Who::Main, gbp()?).await?;
    let (lease, payments) = start_batch(&handle, 1, 3).await?;
    let failed = PaymentOutcome::Failed(FailureReason::RejectedByBank);
    handle.processing.record(record(&lease, &payments, failed, None, 10)).await?;
    same("the batch", summary(&handle, Who::Main, batch_id(1)).await?.batch.status(), PaymentBatchStatus::Failed)?;
    same("the balance", balances(&handle, Who::Main, gbp()?).await?, untouched)?;
    books_are_right(&handle).await
}

async fn record_is_shown_the_payments_of_the_batch_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = NewPayments::of(900, 2);
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 2, noon())?, Some(new_payments))?).await)?;
    let (lease, payments) = start_batch(&handle, 1, 5).await?;
    handle.processing.record(record(&lease, &payments[..2], PaymentOutcome::Completed, None, 10)).await?;
    let seen = Arc::new(Mutex::new(None));
    let observer = Arc::clone(&seen);
    let decide = Arc::new(move |situation: &SettleSituation| {
        *observer.lock().unwrap_or_else(PoisonError::into_inner) = Some(situation.clone());
        Ok(SettleDecision::default())
    });
    let named = vec![payments[3], payment_id(900), payments[1], payment_id(12_345), payments[3]];
    handle.processing.record(RecordCommand { lease, payments: named, decide }).await?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut seen = expect_some("a situation", seen)?;
    seen.payments.sort_by_key(|payment| payment.index);
    let stored = content(&handle, Who::Main, batch_id(1)).await?;
    same("the batch", seen.batch, stored.batch)?;
    let expected: Vec<_> = [1, 3].iter().filter_map(|index: &usize| stored.payments.get(*index).cloned()).collect();
    same("the payments", seen.payments, expected)?;
    same("open, completed and returned", (seen.open, seen.completed, seen.returned), (3, 2, 0))?;
    let of_orders: BTreeMap<_, _> = stored_names(&handle).await?.into_iter().collect();
    same("the names of the budgets", seen.budget_names, of_orders)?;
    same("the next number", seen.number, 3)?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", seen.balances.get(&(Who::Main.budget(), gbp()?)).copied(), Some(now))
}

async fn record_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 3).await?;
    let before = Observation::take(&handle, 0).await?;
    let refusal = SettleRefusal::AmountOutOfRange(AmountOutOfRange::Overflow);
    let (returned, named) = (refusal.clone(), payments.clone());
    let decide = Arc::new(move |_: &SettleSituation| Err(returned.clone()));
    let answer = handle.processing.record(RecordCommand { lease: lease.clone(), payments: named, decide }).await;
    expect_true("it was not refused", matches!(answer, Err(ProcessingError::Refused(found)) if found == refusal))?;
    before.still_holds("a refused report", &handle).await?;
    // Its third journal id already belongs to the reservation.
    let command = record(&lease, &payments, PaymentOutcome::Completed, None, 99_998);
    let answer = handle.processing.record(command).await;
    expect_true("it did not fail", matches!(answer, Err(ProcessingError::Store(_))))?;
    before.still_holds("a report that failed half-way", &handle).await?;
    let bug = Arc::new(|_: &SettleSituation| panic_in_a_rule());
    let answer =
        handle.processing.record(RecordCommand { lease: lease.clone(), payments: payments.clone(), decide: bug }).await;
    expect_true("it did not fail after a panic", matches!(answer, Err(ProcessingError::Store(_))))?;
    before.still_holds("a panic", &handle).await?;
    handle.processing.record(record(&lease, &payments, PaymentOutcome::Completed, None, 10)).await?;
    let command = upload(Who::Main, batch_id(1), NewPayments::of(700, 1))?;
    crate::expect::refused(handle.management.upload(command).await)?;
    let of_none = ClaimCommand { max: 0, ..claim(9, after(999), 0) };
    same("a claim of at most 0 batches", handle.processing.claim(of_none).await?, vec![])?;
    books_are_right(&handle).await
}

#[expect(clippy::panic, reason = "a rule with a bug")]
fn panic_in_a_rule() -> Result<SettleDecision, SettleRefusal> {
    panic!("a rule with a bug")
}

/// Returns the names of the budgets that fund batches.
async fn stored_names(handle: &Handle) -> Result<Vec<(BudgetId, String)>, Failure> {
    let mut names = Vec::new();
    for budget in [Who::Main.budget(), Who::Main.second_budget()] {
        let found = expect_some("a budget", handle.budgets.find(&Who::Main.account()?, budget).await?)?;
        names.push((budget, found.budget.name));
    }
    Ok(names)
}
