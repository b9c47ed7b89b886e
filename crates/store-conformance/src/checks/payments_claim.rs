//! Checks of claims on batches with work and of the resulting leases.

use super::payments_process::start_batch;
use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::observe::Observation;
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, claim, claim_one, confirm, create, empty, lease_id,
    record, start, start_payments, summary,
};
use crate::seed_data::{Who, noon, seed_store};
use florin_domain::batch::{PaymentBatchStatus, PaymentOutcome};
use florin_ports::{Lease, ProcessingError};
use std::fmt::Debug;
use std::sync::Arc;

checks! {
    "batch_processing.claim.finds_batches_with_work_and_no_others" => finds_work,
    "batch_processing.claim.longest_unchanged_first_and_bounded" => in_order,
    "batch_processing.claim.leased_batches_are_passed_over" => leased_batches_are_passed_over,
    "batch_processing.claim.takes_over_what_has_run_out" => taken_over,
    "batch_processing.claim.payments_are_work_from_their_due_time" => due_is_work,
    "batch_processing.claim.the_first_payment_that_is_due_counts" => first_due,
    "batch_processing.lease.that_is_lost_writes_nothing" => that_is_lost_writes_nothing,
    "batch_processing.lease.that_has_run_out_still_holds" => still_held,
    "batch_processing.lease.renewed_runs_longer_and_released_can_be_claimed" =>
        renewed_runs_longer_and_released_can_be_claimed,
}

/// Returns the numbers of the leased batches.
fn batches(leases: &[Lease]) -> Vec<u128> {
    leases.iter().map(|lease| lease.batch.0.as_u128() & u128::from(u64::MAX)).collect()
}

#[track_caller]
fn lease_lost<T: Debug, R: Debug>(answer: Result<T, ProcessingError<R>>) -> CheckResult {
    match answer {
        Err(ProcessingError::LeaseLost) => Ok(()),
        other => Err(Failure::new(format!("the lease is lost, but: {other:?}"))),
    }
}

async fn finds_work(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let claimed = handle.processing.claim(claim(1, after(999), 100)).await?;
    same("work in a store without payments", claimed, vec![])?;
    // Batches without payments and draft, validated or cancelled batches have no work.
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, None)?).await)?;
    let new_payments = NewPayments::of(200, 2).with_faults(&[0]);
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 2, noon())?, Some(new_payments))?).await)?;
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 3, noon())?, Some(NewPayments::of(300, 2)))?).await,
    )?;
    add_confirmed_batch(&handle, Who::Main, 4, 2).await?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(4), 7_000)?).await)?;
    // A confirmed batch without payments has no work either.
    expect_new(handle.batches.confirm(confirm(Who::Main, Who::Main.batch(), 7_100)?).await)?;
    same("work in batches without any", handle.processing.claim(claim(2, after(999), 100)).await?, vec![])?;
    add_confirmed_batch(&handle, Who::Other, 5, 2).await?;
    let claimed = handle.processing.claim(claim(3, after(80), 100)).await?;
    let expected = Lease { id: lease_id(3), account: Who::Other.account()?, batch: batch_id(5), until: after(140) };
    same("the only work", claimed, vec![expected.clone()])?;
    handle.processing.start(start(&expected, 7_200)).await?;
    handle.processing.start_payments(start_payments(&expected, 1, 7_300)).await?;
    handle.processing.release(&expected).await?;
    let claimed = handle.processing.claim(claim(4, after(90), 100)).await?;
    same("a batch with one more payment to start", batches(&claimed), vec![5])?;
    let lease = expect_some("a lease", claimed.into_iter().next())?;
    handle.processing.start_payments(start_payments(&lease, 9, 7_400)).await?;
    handle.processing.release(&lease).await?;
    same(
        "work if all payments are started and none is due",
        handle.processing.claim(claim(5, after(100), 100)).await?,
        vec![],
    )
}

async fn in_order(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, minute) in [(1, 3), (2, 1), (3, 2), (4, 1)] {
        add_confirmed_batch(&handle, Who::Main, number, 1).await?;
        // An edit counts as a change.
        let at = after(minute * 60);
        let decide = Arc::new(move |batch: &florin_domain::batch::PaymentBatch| florin_domain::batch::PaymentBatch {
            updated_at: at,
            ..batch.clone()
        });
        let command = florin_ports::EditBatchCommand {
            account: Who::Main.account()?,
            batch: batch_id(number),
            decide,
            claim: None,
        };
        expect_new(handle.management.edit(command).await)?;
    }
    same("the first three", batches(&handle.processing.claim(claim(1, after(900), 3)).await?), vec![2, 4, 3])?;
    same("the rest", batches(&handle.processing.claim(claim(2, after(900), 3)).await?), vec![1])
}

async fn leased_batches_are_passed_over(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    for seconds in [80, 100, 139] {
        same("a second claim", handle.processing.claim(claim(2, after(seconds), 9)).await?, vec![])?;
    }
    handle.processing.start(start(&lease, 1)).await?;
    Ok(())
}

async fn taken_over(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let first = claim_one(&handle, 1, after(80)).await?;
    let second = claim_one(&handle, 2, after(140)).await?;
    same("the id and the end of the lease", (second.id, second.until), (lease_id(2), after(200)))?;
    lease_lost(handle.processing.start(start(&first, 1)).await)?;
    handle.processing.start(start(&second, 1)).await?;
    Ok(())
}

async fn due_is_work(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 2).await?;
    handle.processing.release(&lease).await?;
    // The bank's result is due 120 seconds after noon.
    let just_before = after(120) - chrono::TimeDelta::microseconds(1);
    same("before it is due", handle.processing.claim(claim(2, just_before, 9)).await?, vec![])?;
    let lease = claim_one(&handle, 3, after(120)).await?;
    let done = record(&lease, &payments, PaymentOutcome::Completed, Some(after(500)), 900);
    handle.processing.record(done).await?;
    handle.processing.release(&lease).await?;
    same("the batch", summary(&handle, Who::Main, batch_id(1)).await?.batch.status(), PaymentBatchStatus::Completed)?;
    same("work before the payments are due again", handle.processing.claim(claim(4, after(499), 9)).await?, vec![])?;
    let lease = claim_one(&handle, 5, after(500)).await?;
    let nothing_new = record(&lease, &payments, PaymentOutcome::Completed, None, 950);
    handle.processing.record(nothing_new).await?;
    handle.processing.release(&lease).await?;
    same(
        "work after a report without a time for the next query",
        handle.processing.claim(claim(6, after(9_999), 9)).await?,
        vec![],
    )
}

async fn that_is_lost_writes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let old = claim_one(&handle, 1, after(10)).await?;
    let new = claim_one(&handle, 2, after(80)).await?;
    let before = Observation::take(&handle, 0).await?;
    lease_lost(handle.processing.start(start(&old, 1)).await)?;
    lease_lost(handle.processing.start_payments(start_payments(&old, 9, 1)).await)?;
    lease_lost(handle.processing.record(record(&old, &[], PaymentOutcome::Completed, None, 1)).await)?;
    same("whether it is renewed", handle.processing.renew(&old, after(9_999)).await?, false)?;
    handle.processing.release(&old).await?;
    before.still_holds("a lost lease", &handle).await?;
    handle.processing.start(start(&new, 1)).await?;
    let payments: Vec<_> = handle
        .processing
        .start_payments(start_payments(&new, 9, 10))
        .await?
        .into_iter()
        .map(|payment| payment.id)
        .collect();
    handle.processing.release(&new).await?;
    let before = Observation::take(&handle, 0).await?;
    lease_lost(handle.processing.record(record(&new, &payments, PaymentOutcome::Completed, None, 1)).await)?;
    same("whether it is renewed", handle.processing.renew(&new, after(9_999)).await?, false)?;
    // The lease id or the batch alone is not sufficient.
    let third = claim_one(&handle, 3, after(140)).await?;
    for wrong in [
        Lease { account: Who::Other.account()?, ..third.clone() },
        Lease { batch: Who::Main.batch(), ..third.clone() },
        Lease { batch: batch_id(99), ..third.clone() },
        Lease { id: lease_id(4), ..third },
    ] {
        lease_lost(handle.processing.start_payments(start_payments(&wrong, 9, 20)).await)?;
        lease_lost(handle.processing.record(record(&wrong, &payments, PaymentOutcome::Completed, None, 30)).await)?;
        same("whether it is renewed", handle.processing.renew(&wrong, after(9_999)).await?, false)?;
    }
    before.still_holds("a wrong lease", &handle).await
}

async fn still_held(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let lease = claim_one(&handle, 1, after(-900)).await?;
    handle.processing.start(start(&lease, 1)).await?;
    same(
        "the number of started payments",
        handle.processing.start_payments(start_payments(&lease, 9, 10)).await?.len(),
        2,
    )?;
    same("whether it is renewed", handle.processing.renew(&lease, after(300)).await?, true)
}

async fn renewed_runs_longer_and_released_can_be_claimed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    same("whether it is renewed", handle.processing.renew(&lease, after(300)).await?, true)?;
    same("a claim before its end", handle.processing.claim(claim(2, after(299), 9)).await?, vec![])?;
    let second = claim_one(&handle, 3, after(300)).await?;
    handle.processing.release(&lease).await?;
    same(
        "a claim after a release under the old lease",
        handle.processing.claim(claim(4, after(300), 9)).await?,
        vec![],
    )?;
    handle.processing.release(&second).await?;
    claim_one(&handle, 5, after(300)).await?;
    Ok(())
}

async fn first_due(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (lease, payments) = start_batch(&handle, 1, 2).await?;
    for (payment, ids, again) in [(&payments[..1], 900, after(500)), (&payments[1..], 950, after(900))] {
        let done = record(&lease, payment, PaymentOutcome::Completed, Some(again), ids);
        handle.processing.record(done).await?;
    }
    handle.processing.release(&lease).await?;
    same("before any is due", handle.processing.claim(claim(2, after(499), 9)).await?, vec![])?;
    claim_one(&handle, 3, after(500)).await?;
    Ok(())
}
