//! Checks of payment batches and the storage of the simulated bank on two handles.

use super::contention::second;
use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_true, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, claim, claim_one, confirm, content, create, empty,
    payment_id, record, start, start_payments, statuses, upload,
};
use crate::seed_data::{Who, gbp, jpy, noon, seed_store};
use florin_domain::batch::{PaymentBatchStatus, PaymentOutcome, PaymentStatus};
use florin_domain::ids::{AccountId, PaymentId};
use florin_domain::money::Minor;
use florin_ports::{AcceptedPayment, StoreError};

checks! {
    "durable.payments_seen_by_a_second_handle" (Reopen) => payments_seen_by_a_second_handle,
    "contention.two_handles.each_payment_is_taken_once" (Reopen) => taken_once,
    "contention.two_handles.one_claim_gets_a_batch" (Reopen) => claimed_once,
    "contention.two_handles.uploads_and_confirmations_take_turns" (Reopen) => uploads_and_confirmations_take_turns,
    "contention.two_handles.the_bank_accepts_once" (Sandbox, Reopen) => accepted_once,
    "sandbox_bank.accept.remembers_the_first" (Sandbox) => remembers_the_first,
    "sandbox_bank.accept.needs_its_account" (Sandbox) => accepted_for_nobody,
}

async fn payments_seen_by_a_second_handle(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = NewPayments::of(1, 3).with_faults(&[1]);
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments))?).await)?;
    add_confirmed_batch(&handle, Who::Main, 2, 4).await?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 10)).await?;
    let taken = handle.processing.start_payments(start_payments(&lease, 2, 20)).await?;
    let before = Observation::take(&handle, 0).await?;
    let other = second(&handle).await?;
    before.still_holds("another handle", &other).await?;
    // The lease belongs to the store, not to the handle.
    same("a claim", other.processing.claim(claim(2, after(81), 9)).await?, vec![])?;
    same("due", other.processing.due(&lease, after(120), 9).await?, taken)?;
    same("the rest", other.processing.start_payments(start_payments(&lease, 9, 30)).await?.len(), 2)
}

/// Runs a worker that claims the batch, starts up to three payments, records their outcome and releases the batch,
/// until it is COMPLETED. Returns the payments that the worker has started.
async fn work(handle: Handle, name: u128) -> Result<Vec<PaymentId>, Failure> {
    let mut sent = Vec::new();
    for round in 0..400_u128 {
        let ids = name * 1_000_000 + round * 100;
        let now = after(80 + i64::try_from(round).unwrap_or(0));
        // Leases are short, so that the other worker sometimes takes over.
        let mut command = claim(name * 1_000 + round, now, 1);
        command.until = now + chrono::TimeDelta::seconds(2);
        let Some(lease) = handle.processing.claim(command).await?.pop() else {
            if content(&handle, Who::Main, batch_id(1)).await?.batch.status() == PaymentBatchStatus::Completed {
                return Ok(sent);
            }
            tokio::task::yield_now().await;
            continue;
        };
        // The slower worker is refused or has lost its lease.
        let _ = handle.processing.start(start(&lease, ids)).await;
        let Ok(taken) = handle.processing.start_payments(start_payments(&lease, 3, ids + 10)).await else { continue };
        sent.extend(taken.iter().map(|payment| payment.id));
        let mut open: Vec<_> =
            handle.processing.due(&lease, after(9_999), 9).await?.iter().map(|payment| payment.id).collect();
        open.extend(taken.iter().map(|payment| payment.id));
        let _ = handle.processing.record(record(&lease, &open, PaymentOutcome::Completed, None, ids + 50)).await;
        handle.processing.release(&lease).await?;
    }
    Err(Failure::new("the batch does not end"))
}

async fn taken_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let other = second(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 40).await?;
    let before = balances(&handle, Who::Main, gbp()?).await?;
    let workers = [handle.clone(), other.clone(), handle.clone(), other];
    let workers: Vec<_> = (1..).zip(workers).map(|(name, handle)| tokio::spawn(work(handle, name))).collect();
    let mut sent = Vec::new();
    for worker in workers {
        sent.extend(worker.await.map_err(|error| Failure::new(error.to_string()))??);
    }
    sent.sort_unstable();
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("the started payments", sent, found.payments.iter().map(|payment| payment.id).collect::<Vec<_>>())?;
    same("their states", statuses(&found.payments), vec![(PaymentStatus::Completed, 40)])?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("available and reserved", (now.available(), now.reserved()), (before.available(), Minor::ZERO))?;
    books_are_right(&handle).await
}

async fn claimed_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let other = second(&handle).await?;
    for number in 1..=6 {
        add_confirmed_batch(&handle, Who::Main, number, 1).await?;
    }
    let claims = (1..=24).zip([&handle, &other].into_iter().cycle()).map(|(number, handle)| {
        let processing = handle.processing.clone();
        tokio::spawn(async move { processing.claim(claim(number, after(80), 1)).await })
    });
    let mut got = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        got.extend(claim.await.map_err(|error| Failure::new(error.to_string()))??.into_iter().map(|lease| lease.batch));
    }
    // A claim skips batches that another claim is locking. The next claim gets the remaining ones.
    got.extend(handle.processing.claim(claim(99, after(80), 9)).await?.into_iter().map(|lease| lease.batch));
    got.sort_unstable();
    same("batches that were claimed", got, (1..=6).map(batch_id).collect::<Vec<_>>())
}

async fn uploads_and_confirmations_take_turns(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let other = second(&handle).await?;
    for round in 1..=12_u128 {
        let base = round * 1_000;
        let new_payments = Some(NewPayments::of(base, 1));
        expect_new(handle.management.create(create(Who::Main, empty(Who::Main, round, noon())?, new_payments)?).await)?;
        // The upload replaces one payment, which uses the first budget, by two, which use both budgets.
        let (uploading, confirming) = (other.management.clone(), handle.batches.clone());
        let upload = upload(Who::Main, batch_id(round), NewPayments::of(base + 500, 2))?;
        let upload = tokio::spawn(async move { uploading.upload(upload).await });
        let confirm = confirm(Who::Main, batch_id(round), base)?;
        let confirm = tokio::spawn(async move { confirming.confirm(confirm).await });
        let uploaded = upload.await.map_err(|error| Failure::new(error.to_string()))?;
        let confirmed = expect_new(confirm.await.map_err(|error| Failure::new(error.to_string()))?)?;
        let found = content(&handle, Who::Main, batch_id(round)).await?;
        same("the batch", &found.batch, &confirmed)?;
        same("payments", found.payments.len(), if uploaded.is_ok() { 2 } else { 1 })?;
        same("orders", found.batch.orders.len(), found.payments.len())?;
        same("states", statuses(&found.payments), vec![(PaymentStatus::Confirmed, found.payments.len())])?;
        books_are_right(&handle).await?;
        expect_new(handle.management.cancel(cancel(Who::Main, batch_id(round), base + 100)?).await)?;
    }
    books_are_right(&handle).await
}

async fn accepted_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, payer) = (second(&handle).await?, Who::Main.account()?);
    let attempts = (0..60).zip([&handle, &other].into_iter().cycle()).map(|(number, handle)| {
        let bank = handle.bank.clone();
        let (id, amount) = (payment_id(number % 6), Minor(i64::try_from(number).unwrap_or(0) + 1));
        tokio::spawn(async move {
            let payment = AcceptedPayment { id, amount: amount.of(gbp()?), reference: None, accepted_at: noon() };
            Ok::<_, Failure>(bank.accept(&Who::Main.account()?, payment).await?)
        })
    });
    for attempt in attempts.collect::<Vec<_>>() {
        let accepted = attempt.await.map_err(|error| Failure::new(error.to_string()))??;
        same("what is remembered", handle.bank.find(&payer, accepted.id).await?, Some(accepted))?;
    }
    Ok(())
}

async fn remembers_the_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let payer = Who::Main.account()?;
    same("an unknown payment", handle.bank.find(&payer, payment_id(1)).await?, None)?;
    let first =
        AcceptedPayment { id: payment_id(1), amount: Minor(5).of(jpy()?), reference: None, accepted_at: after(1) };
    same("the first", handle.bank.accept(&payer, first.clone()).await?, first.clone())?;
    let reference = Some("another".into());
    let again = AcceptedPayment { amount: Minor(6).of(gbp()?), reference, accepted_at: after(2), ..first.clone() };
    same("the second", handle.bank.accept(&payer, again.clone()).await?, first.clone())?;
    same("what is remembered", handle.bank.find(&payer, payment_id(1)).await?, Some(first))?;
    let other = AcceptedPayment { id: payment_id(2), ..again };
    same("another payment", handle.bank.accept(&payer, other.clone()).await?, other)
}

async fn accepted_for_nobody(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let nobody = AccountId::parse("NOBODY")?;
    let payment =
        AcceptedPayment { id: payment_id(1), amount: Minor(5).of(gbp()?), reference: None, accepted_at: after(1) };
    let refused = handle.bank.accept(&nobody, payment).await;
    expect_true("a payment of no account is accepted", matches!(refused, Err(StoreError::NotFound(_))))?;
    same("the payment", handle.bank.find(&nobody, payment_id(1)).await?, None)
}
