//! Work on confirmed batches: who may do it, and what becomes of it.

use crate::check::{Failure, Proof, checks};
use crate::expect::{fresh, holds, same, there};
use crate::factory::Handle;
use crate::observe::{Observation, audited, balances};
use crate::payments::{
    Fill, after, batch_id, cancel, claim, confirm, confirmed, content, create, empty, lease_id, leased, payment_id,
    record, start, statuses, summary, take, upload,
};
use crate::world::{Who, gbp, noon, seeded};
use florin_domain::batch::{
    FailureReason, IllegalMove, Payment, PaymentBatchStatus, PaymentOutcome, PaymentStatus, SettleDecision,
    SettleRefusal, SettleSituation,
};
use florin_domain::ids::PaymentId;
use florin_domain::ledger::{AmountOverflow, Balances};
use florin_domain::money::Minor;
use florin_ports::{ClaimCommand, Lease, ProcessingError, RecordCommand};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "batch_processing.claim.finds_batches_with_work_and_no_others" => finds_work,
    "batch_processing.claim.longest_unchanged_first_and_bounded" => in_order,
    "batch_processing.claim.leased_batches_are_passed_over" => exclusive,
    "batch_processing.claim.takes_over_what_has_run_out" => taken_over,
    "batch_processing.claim.due_payments_are_work_from_the_very_moment" => due_is_work,
    "batch_processing.lease.that_is_lost_writes_nothing" => lost,
    "batch_processing.lease.that_has_run_out_still_holds" => still_held,
    "batch_processing.lease.renewed_runs_longer_and_released_can_be_claimed" => renewed,
    "batch_processing.start.stores_the_decision_once" => started,
    "batch_processing.take.takes_each_once_by_index" => taken,
    "batch_processing.due.longest_due_first_and_bounded" => due,
    "batch_processing.record.settles_money_and_ends_the_batch" => settled,
    "batch_processing.record.twice_changes_nothing" => recorded_twice,
    "batch_processing.record.a_completed_payment_may_come_back" => returned,
    "batch_processing.record.all_failed_is_a_failed_batch" => all_failed,
    "batch_processing.record.is_shown_the_payments_of_the_batch_only" => shown,
    "batch_processing.record.refusal_or_failure_changes_nothing" => record_failed,
}

/// A started batch of that number with so many payments, all of them taken.
async fn running(handle: &Handle, number: u128, count: u32) -> Result<(Lease, Vec<PaymentId>), Failure> {
    confirmed(handle, Who::Mine, number, count).await?;
    let lease = leased(handle, number, after(80)).await?;
    handle.processing.start(start(&lease, number * 1_000_000 + 1)).await?;
    let taken = handle.processing.take(take(&lease, count, number * 1_000_000 + 10)).await?;
    Ok((lease, taken.into_iter().map(|payment| payment.id).collect()))
}

fn batches(leases: &[Lease]) -> Vec<u128> {
    leases.iter().map(|lease| lease.batch.0.as_u128() & u128::from(u64::MAX)).collect()
}

#[track_caller]
fn lease_lost<T: Debug, R: Debug>(answer: Result<T, ProcessingError<R>>) -> Proof {
    match answer {
        Err(ProcessingError::LeaseLost) => Ok(()),
        other => Err(Failure::new(format!("the lease is lost, but: {other:?}"))),
    }
}

async fn finds_work(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let claimed = handle.processing.claim(claim(1, after(999), 100)).await?;
    same("work in a world without payments", claimed, vec![])?;
    // Without payments, draft, validated, cancelled: no work.
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, None)?).await)?;
    let fill = Fill::of(200, 2).with_faults(&[0]);
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 2, noon())?, Some(fill))?).await)?;
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 3, noon())?, Some(Fill::of(300, 2)))?).await)?;
    confirmed(&handle, Who::Mine, 4, 2).await?;
    fresh(handle.management.cancel(cancel(Who::Mine, batch_id(4), 7_000)?).await)?;
    // Confirmed without payments: none, either.
    fresh(handle.batches.confirm(confirm(Who::Mine, Who::Mine.batch(), 7_100)?).await)?;
    same("work where there is none", handle.processing.claim(claim(2, after(999), 100)).await?, vec![])?;
    confirmed(&handle, Who::Other, 5, 2).await?;
    let claimed = handle.processing.claim(claim(3, after(80), 100)).await?;
    let wanted = Lease { id: lease_id(3), account: Who::Other.account()?, batch: batch_id(5), until: after(140) };
    same("the only work", claimed, vec![wanted.clone()])?;
    handle.processing.start(start(&wanted, 7_200)).await?;
    handle.processing.take(take(&wanted, 1, 7_300)).await?;
    handle.processing.release(&wanted).await?;
    let claimed = handle.processing.claim(claim(4, after(90), 100)).await?;
    same("a batch with one more to take", batches(&claimed), vec![5])?;
    let lease = there("a lease", claimed.into_iter().next())?;
    handle.processing.take(take(&lease, 9, 7_400)).await?;
    handle.processing.release(&lease).await?;
    same("all taken, none due", handle.processing.claim(claim(5, after(100), 100)).await?, vec![])
}

async fn in_order(handle: Handle) -> Proof {
    seeded(&handle).await?;
    for (number, minute) in [(1, 3), (2, 1), (3, 2), (4, 1)] {
        confirmed(&handle, Who::Mine, number, 1).await?;
        // An edit is a change, too.
        let at = after(minute * 60);
        let decide = Arc::new(move |batch: &florin_domain::batch::PaymentBatch| florin_domain::batch::PaymentBatch {
            updated_at: at,
            ..batch.clone()
        });
        let command = florin_ports::EditBatchCommand {
            account: Who::Mine.account()?,
            batch: batch_id(number),
            decide,
            repeat: None,
        };
        fresh(handle.management.edit(command).await)?;
    }
    same("the first three", batches(&handle.processing.claim(claim(1, after(900), 3)).await?), vec![2, 4, 3])?;
    same("the rest", batches(&handle.processing.claim(claim(2, after(900), 3)).await?), vec![1])
}

async fn exclusive(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 2).await?;
    let lease = leased(&handle, 1, after(80)).await?;
    for seconds in [80, 100, 139] {
        same("a second claim", handle.processing.claim(claim(2, after(seconds), 9)).await?, vec![])?;
    }
    handle.processing.start(start(&lease, 1)).await?;
    Ok(())
}

async fn taken_over(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 2).await?;
    let first = leased(&handle, 1, after(80)).await?;
    let second = leased(&handle, 2, after(140)).await?;
    same("whose it is", (second.id, second.until), (lease_id(2), after(200)))?;
    lease_lost(handle.processing.start(start(&first, 1)).await)?;
    handle.processing.start(start(&second, 1)).await?;
    Ok(())
}

async fn due_is_work(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 2).await?;
    handle.processing.release(&lease).await?;
    // The bank is to be asked 120 seconds after noon.
    let just_before = after(120) - chrono::TimeDelta::microseconds(1);
    same("before it is due", handle.processing.claim(claim(2, just_before, 9)).await?, vec![])?;
    let lease = leased(&handle, 3, after(120)).await?;
    let done = record(&lease, &payments, PaymentOutcome::Completed, Some(after(500)), 900);
    handle.processing.record(done).await?;
    handle.processing.release(&lease).await?;
    same("the batch", summary(&handle, Who::Mine, batch_id(1)).await?.batch.status, PaymentBatchStatus::Completed)?;
    same("it is completed", handle.processing.claim(claim(4, after(499), 9)).await?, vec![])?;
    let lease = leased(&handle, 5, after(500)).await?;
    let nothing_new = record(&lease, &payments, PaymentOutcome::Completed, None, 950);
    handle.processing.record(nothing_new).await?;
    handle.processing.release(&lease).await?;
    same("nothing more to be learnt", handle.processing.claim(claim(6, after(9_999), 9)).await?, vec![])
}

async fn lost(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 3).await?;
    let old = leased(&handle, 1, after(10)).await?;
    let new = leased(&handle, 2, after(80)).await?;
    let before = Observation::take(&handle, 0).await?;
    lease_lost(handle.processing.start(start(&old, 1)).await)?;
    lease_lost(handle.processing.take(take(&old, 9, 1)).await)?;
    lease_lost(handle.processing.record(record(&old, &[], PaymentOutcome::Completed, None, 1)).await)?;
    same("whether it is renewed", handle.processing.renew(&old, after(9_999)).await?, false)?;
    handle.processing.release(&old).await?;
    before.still_holds("a lost lease", &handle).await?;
    handle.processing.start(start(&new, 1)).await?;
    let payments: Vec<_> =
        handle.processing.take(take(&new, 9, 10)).await?.into_iter().map(|payment| payment.id).collect();
    handle.processing.release(&new).await?;
    let before = Observation::take(&handle, 0).await?;
    lease_lost(handle.processing.record(record(&new, &payments, PaymentOutcome::Completed, None, 1)).await)?;
    same("whether it is renewed", handle.processing.renew(&new, after(9_999)).await?, false)?;
    // The id alone is not enough, nor is the batch.
    let third = leased(&handle, 3, after(140)).await?;
    for wrong in [
        Lease { account: Who::Other.account()?, ..third.clone() },
        Lease { batch: Who::Mine.batch(), ..third.clone() },
        Lease { batch: batch_id(99), ..third.clone() },
        Lease { id: lease_id(4), ..third },
    ] {
        lease_lost(handle.processing.take(take(&wrong, 9, 20)).await)?;
        lease_lost(handle.processing.record(record(&wrong, &payments, PaymentOutcome::Completed, None, 30)).await)?;
        same("whether it is renewed", handle.processing.renew(&wrong, after(9_999)).await?, false)?;
    }
    before.still_holds("a wrong lease", &handle).await
}

async fn still_held(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 2).await?;
    let lease = leased(&handle, 1, after(-900)).await?;
    handle.processing.start(start(&lease, 1)).await?;
    same("what is taken", handle.processing.take(take(&lease, 9, 10)).await?.len(), 2)?;
    same("whether it is renewed", handle.processing.renew(&lease, after(300)).await?, true)
}

async fn renewed(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 2).await?;
    let lease = leased(&handle, 1, after(80)).await?;
    same("whether it is renewed", handle.processing.renew(&lease, after(300)).await?, true)?;
    same("a claim before its end", handle.processing.claim(claim(2, after(299), 9)).await?, vec![])?;
    let second = leased(&handle, 3, after(300)).await?;
    handle.processing.release(&lease).await?;
    same("a release by another", handle.processing.claim(claim(4, after(300), 9)).await?, vec![])?;
    handle.processing.release(&second).await?;
    leased(&handle, 5, after(300)).await?;
    Ok(())
}

async fn started(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let batch = confirmed(&handle, Who::Mine, 1, 2).await?;
    let lease = leased(&handle, 1, after(80)).await?;
    let done = handle.processing.start(start(&lease, 1)).await?;
    let (status, orders_sent_at) = (PaymentBatchStatus::Started, Some(after(90)));
    let wanted = florin_domain::batch::PaymentBatch { status, orders_sent_at, updated_at: after(90), ..batch };
    same("the answer", &done, &wanted)?;
    same("what is stored", summary(&handle, Who::Mine, batch_id(1)).await?.batch, wanted)?;
    let again = handle.processing.start(start(&lease, 50)).await;
    let illegal = IllegalMove { current: PaymentBatchStatus::Started };
    holds("it starts again", matches!(again, Err(ProcessingError::Refused(found)) if found == illegal))
}

async fn taken(handle: Handle) -> Proof {
    seeded(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 7).await?;
    let lease = leased(&handle, 1, after(80)).await?;
    same("before it has started", handle.processing.take(take(&lease, 9, 1)).await?, vec![])?;
    handle.processing.start(start(&lease, 10)).await?;
    for (max, wanted, ids) in [(3, vec![0, 1, 2], 20), (3, vec![3, 4, 5], 30), (9, vec![6], 40), (9, vec![], 50)] {
        let done = handle.processing.take(take(&lease, max, ids)).await?;
        same("what is taken", done.iter().map(|payment| payment.index).collect::<Vec<_>>(), wanted)?;
        let stored = content(&handle, Who::Mine, batch_id(1)).await?.payments;
        for payment in done {
            let (status, started_at) = (PaymentStatus::Started, Some(after(91)));
            same(
                "its state",
                (payment.status, payment.started_at, payment.ask_at),
                (status, started_at, Some(after(120))),
            )?;
            same("what is stored", stored.get(payment.index as usize), Some(&payment))?;
        }
    }
    audited(&handle).await
}

async fn due(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 6).await?;
    for (payment, seconds) in payments.iter().zip([300, 200, 250, 200, 400]) {
        let pending = record(&lease, &[*payment], PaymentOutcome::Pending, Some(after(seconds)), 1);
        handle.processing.record(pending).await?;
    }
    let indexes = |payments: Vec<Payment>| payments.into_iter().map(|payment| payment.index).collect::<Vec<_>>();
    for (seconds, max, wanted) in [
        (119, 9, vec![]),
        (120, 9, vec![5]),
        (299, 9, vec![5, 1, 3, 2]),
        (300, 9, vec![5, 1, 3, 2, 0]),
        (999, 3, vec![5, 1, 3]),
    ] {
        let found = handle.processing.due(&lease, after(seconds), max).await?;
        same("what is due", indexes(found), wanted)?;
    }
    Ok(())
}

/// What a decision says and what is stored are one.
async fn is_stored(handle: &Handle, decision: &SettleDecision) -> Proof {
    let found = content(handle, Who::Mine, batch_id(1)).await?;
    for payment in &decision.payments {
        same("a payment", found.payments.get(payment.index as usize), Some(payment))?;
    }
    if let Some(batch) = &decision.batch {
        same("the batch", &found.batch, batch)?;
    }
    audited(handle).await
}

async fn settled(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 6).await?;
    // Of the first budget: payments 0 (1.00 and a fee), 2 (1.02) and 4 (1.04).
    same("reserved", balances(&handle, Who::Mine, gbp()?).await?, Balances::new(Minor(9_189), Minor(0), Minor(311))?)?;
    let [zero, one, two, three, four, five] = payments[..] else { return Err(Failure::new("six payments are wanted")) };
    let done = handle.processing.record(record(&lease, &[zero, one], PaymentOutcome::Completed, None, 10)).await?;
    same("what changed", (done.payments.len(), done.journal.len(), done.batch.is_none()), (2, 2, true))?;
    is_stored(&handle, &done).await?;
    same("one paid", balances(&handle, Who::Mine, gbp()?).await?, Balances::new(Minor(9_189), Minor(0), Minor(206))?)?;
    let failed = PaymentOutcome::Failed(FailureReason::AccountNotFound);
    let done = handle.processing.record(record(&lease, &[two, three], failed, None, 20)).await?;
    is_stored(&handle, &done).await?;
    same(
        "one failed",
        balances(&handle, Who::Mine, gbp()?).await?,
        Balances::new(Minor(9_291), Minor(0), Minor(104))?,
    )?;
    let pending = record(&lease, &[four, five], PaymentOutcome::Pending, Some(after(700)), 30);
    is_stored(&handle, &handle.processing.record(pending).await?).await?;
    let back = PaymentOutcome::Returned(FailureReason::Compliance);
    let done = handle.processing.record(record(&lease, &[four, five], back, None, 40)).await?;
    same("the end", done.batch.as_ref().map(|batch| batch.status), Some(PaymentBatchStatus::Completed))?;
    is_stored(&handle, &done).await?;
    same("one back", balances(&handle, Who::Mine, gbp()?).await?, Balances::new(Minor(9_395), Minor(0), Minor(0))?)?;
    let ends = [(PaymentStatus::Completed, 2), (PaymentStatus::Failed, 2), (PaymentStatus::Returned, 2)];
    same("the payments", statuses(&content(&handle, Who::Mine, batch_id(1)).await?.payments), ends.to_vec())
}

async fn recorded_twice(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 4).await?;
    let command = |ids| record(&lease, &payments, PaymentOutcome::Completed, None, ids);
    handle.processing.record(command(10)).await?;
    let before = Observation::take(&handle, 0).await?;
    same("what a second report changes", handle.processing.record(command(100)).await?, SettleDecision::default())?;
    // Even one that is late and says otherwise.
    let late = record(&lease, &payments, PaymentOutcome::Failed(FailureReason::Compliance), None, 200);
    same("what a late report changes", handle.processing.record(late).await?, SettleDecision::default())?;
    before.still_holds("a second report", &handle).await?;
    audited(&handle).await
}

async fn returned(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 2).await?;
    handle.processing.record(record(&lease, &payments, PaymentOutcome::Completed, Some(after(102)), 10)).await?;
    let before = balances(&handle, Who::Mine, gbp()?).await?;
    let back = PaymentOutcome::Returned(FailureReason::AccountClosed);
    let done = handle.processing.record(record(&lease, &payments, back, None, 20)).await?;
    same("what changed", (done.payments.len(), done.journal.len(), done.batch.is_none()), (2, 2, true))?;
    is_stored(&handle, &done).await?;
    // Its amount is back, its fee is not.
    let now = balances(&handle, Who::Mine, gbp()?).await?;
    same("the balance", now.available().0 - before.available().0, 100)
}

async fn all_failed(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let untouched = balances(&handle, Who::Mine, gbp()?).await?;
    let (lease, payments) = running(&handle, 1, 3).await?;
    let failed = PaymentOutcome::Failed(FailureReason::RejectedByBank);
    handle.processing.record(record(&lease, &payments, failed, None, 10)).await?;
    same("the batch", summary(&handle, Who::Mine, batch_id(1)).await?.batch.status, PaymentBatchStatus::Failed)?;
    same("the balance", balances(&handle, Who::Mine, gbp()?).await?, untouched)?;
    audited(&handle).await
}

async fn shown(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let fill = Fill::of(900, 2);
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 2, noon())?, Some(fill))?).await)?;
    let (lease, payments) = running(&handle, 1, 5).await?;
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
    let mut seen = there("a situation", seen)?;
    seen.payments.sort_by_key(|payment| payment.index);
    let stored = content(&handle, Who::Mine, batch_id(1)).await?;
    same("the batch", seen.batch, stored.batch)?;
    let wanted: Vec<_> = [1, 3].iter().filter_map(|index: &usize| stored.payments.get(*index).cloned()).collect();
    same("the payments", seen.payments, wanted)?;
    same("open, and whether any is paid", (seen.open, seen.any_paid), (3, true))?;
    let now = balances(&handle, Who::Mine, gbp()?).await?;
    same("the balances", seen.balances.get(&(Who::Mine.budget(), gbp()?)).copied(), Some(now))
}

async fn record_failed(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let (lease, payments) = running(&handle, 1, 3).await?;
    let before = Observation::take(&handle, 0).await?;
    let refusal = SettleRefusal::AmountOverflow(AmountOverflow);
    let (told, named) = (refusal.clone(), payments.clone());
    let decide = Arc::new(move |_: &SettleSituation| Err(told.clone()));
    let answer = handle.processing.record(RecordCommand { lease: lease.clone(), payments: named, decide }).await;
    holds("a refusal", matches!(answer, Err(ProcessingError::Refused(found)) if found == refusal))?;
    before.still_holds("a refused report", &handle).await?;
    // Its third journal id is that of the reservation.
    let command = record(&lease, &payments, PaymentOutcome::Completed, None, 99_998);
    let answer = handle.processing.record(command).await;
    holds("a failure", matches!(answer, Err(ProcessingError::Store(_))))?;
    before.still_holds("a report that failed half-way", &handle).await?;
    let bug = Arc::new(|_: &SettleSituation| panic_in_a_rule());
    let answer =
        handle.processing.record(RecordCommand { lease: lease.clone(), payments: payments.clone(), decide: bug }).await;
    holds("a panic", matches!(answer, Err(ProcessingError::Store(_))))?;
    before.still_holds("a panic", &handle).await?;
    handle.processing.record(record(&lease, &payments, PaymentOutcome::Completed, None, 10)).await?;
    let command = upload(Who::Mine, batch_id(1), Fill::of(700, 1))?;
    crate::expect::refused(handle.management.upload(command).await)?;
    let nobody = ClaimCommand { max: 0, ..claim(9, after(999), 0) };
    same("a claim for none", handle.processing.claim(nobody).await?, vec![])?;
    audited(&handle).await
}

#[expect(clippy::panic, reason = "a rule with a bug")]
fn panic_in_a_rule() -> Result<SettleDecision, SettleRefusal> {
    panic!("a rule with a bug")
}
