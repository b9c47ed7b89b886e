//! Processes confirmed payment batches: sends each payment once, and follows it until it is final.
//!
//! A crash at any point loses nothing. Before a payment is sent, it is marked as started, with a time to query the
//! bank. If the bank does not know a started payment, the payment is sent again under the same id.

mod journal_ids;

use crate::ProcessingServices;
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::batch::{
    Payment, PaymentInstruction, PaymentOutcome, PaymentReport, Reported, SettleDecision, StartPaymentsSituation,
    decide_settle, decide_start, decide_start_payments,
};
use florin_domain::ids::LeaseId;
use florin_ports::{
    ClaimCommand, Lease, ProcessingError, RailUnavailable, RecordCommand, StartCommand, StartPaymentsCommand,
    StoreError,
};
use futures_util::stream::{self, StreamExt};
use journal_ids::JournalIds;
use std::fmt::Display;
use std::sync::Arc;

/// Processing of a batch must stop, because another worker has the lease or the store failed.
struct MustStop;

/// Runs one round: claims batches with work to do, processes each for a while, and returns the number of payments
/// processed. If it is 0, the caller pauses before the next round.
pub async fn process_batches(services: &ProcessingServices) -> Result<usize, StoreError> {
    let now = services.time.real_now();
    let (lease, until) = (LeaseId(services.time.real_id()), now + services.limits.lease);
    let claim = ClaimCommand { lease, now, until, max: services.limits.max_batches };
    let mut worked = 0;
    for mut lease in services.processing.claim(claim).await? {
        // The world may have been deleted since the claim.
        if let Some(account) = services.accounts.find(&lease.account).await? {
            worked += process(services, &account, &mut lease).await;
        }
        if let Err(error) = services.processing.release(&lease).await {
            tracing::warn!(batch = %lease.batch, %error, "cannot release the lease on a payment batch; it will expire");
        }
    }
    Ok(worked)
}

async fn process(services: &ProcessingServices, account: &Account, lease: &mut Lease) -> usize {
    let mut worked = 0;
    if start(services, account, lease).await.is_err() {
        return worked;
    }
    for _ in 0..services.limits.max_portions {
        let Ok(done) = process_portion(services, account, lease).await else { return worked };
        worked += done;
        if done == 0 || !renew(services, lease).await {
            return worked;
        }
    }
    worked
}

/// Starts a confirmed batch. A batch that is already started is left unchanged.
async fn start(services: &ProcessingServices, account: &Account, lease: &Lease) -> Result<(), MustStop> {
    let cause: [&[u8]; 2] = [b"start", lease.batch.0.as_bytes()];
    let clock = services.time.for_background(&account.timeline, services.time.now_of(account), &cause);
    let decide = Arc::new(move |batch: &_| clock.rule(|stamp| decide_start(batch, stamp)));
    match services.processing.start(StartCommand { lease: lease.clone(), decide }).await {
        Ok(_) | Err(ProcessingError::Refused(_)) => Ok(()),
        Err(error) => Err(stopped(lease, &error)),
    }
}

/// Processes one portion: queries the bank about due payments, then sends new payments. Returns the number of payments.
async fn process_portion(services: &ProcessingServices, account: &Account, lease: &Lease) -> Result<usize, MustStop> {
    let max = services.limits.portion_size;
    let due = services.processing.due(lease, services.time.real_now(), max).await;
    let due = due.map_err(|error| stopped(lease, &error))?;
    let asked = exchange(services, account, lease, due, Step::Ask).await?;
    let (now, ask_at) = (services.time.now_of(account), lease.until);
    let clock = services.time.for_background(&account.timeline, now, &[b"take", lease.batch.0.as_bytes()]);
    let decide = Arc::new(move |situation: &StartPaymentsSituation| {
        let StartPaymentsSituation { batch, payments } = situation;
        clock.rule(|stamp| decide_start_payments(batch, payments, ask_at, stamp))
    });
    let started = services.processing.start_payments(StartPaymentsCommand { lease: lease.clone(), max, decide }).await;
    let started = started.map_err(|error| stopped(lease, &error))?;
    Ok(asked + exchange(services, account, lease, started, Step::Send).await?)
}

/// The first call of the worker to the bank about a payment: a query, or the payment itself.
#[derive(Clone, Copy)]
enum Step {
    Ask,
    Send,
}

/// Queries or sends payments concurrently, and records the bank's reports. Returns the number of reports.
async fn exchange(
    services: &ProcessingServices,
    account: &Account,
    lease: &Lease,
    payments: Vec<Payment>,
    step: Step,
) -> Result<usize, MustStop> {
    if payments.is_empty() {
        return Ok(0);
    }
    let calls = payments.into_iter().map(|payment| ask_or_send(services, payment, step));
    let mut reports: Vec<_> =
        stream::iter(calls).buffer_unordered(services.limits.max_concurrent_calls.max(1)).collect().await;
    // Sort the reports, so that the stored result does not depend on the order of the bank's responses.
    reports.sort_by_key(|reported| reported.payment);
    let (real, now) = (services.time.real_now(), services.time.now_of(account));
    let journal_ids = JournalIds::new(&services.time, &account.timeline, now);
    let clock = services.time.for_background(&account.timeline, now, &[b"settle", lease.batch.0.as_bytes()]);
    let count = reports.len();
    let command = RecordCommand {
        lease: lease.clone(),
        payments: reports.iter().map(|reported| reported.payment).collect(),
        decide: Arc::new(move |situation| {
            let mut decision = clock.rule(|stamp| decide_settle(situation, &reports, stamp))?;
            ask_in_real_time(&mut decision, &reports, real - now);
            journal_ids.assign(&mut decision.journal);
            Ok(decision)
        }),
    };
    services.processing.record(command).await.map_err(|error| stopped(lease, &error))?;
    Ok(count)
}

/// Converts the times of later queries from the account's time to real time, which banks use. `behind` is real time
/// minus the account's time. Times that the bank chose are already real times.
fn ask_in_real_time(decision: &mut SettleDecision, reports: &[Reported], behind: TimeDelta) {
    for payment in &mut decision.payments {
        let is_scheduled = reports.iter().any(|seen| seen.payment == payment.id && seen.report.ask_again_at.is_some());
        if !is_scheduled {
            payment.state = payment.state.asked_later(behind);
        }
    }
}

async fn ask_or_send(services: &ProcessingServices, payment: Payment, step: Step) -> Reported {
    let id = payment.id;
    let result = match step {
        Step::Send => send(services, &payment).await,
        Step::Ask => match services.rail.ask(&payment.account, id).await {
            Ok(Some(report)) => Ok(report),
            // A worker started the payment, but stopped before sending it.
            Ok(None) => send(services, &payment).await,
            Err(unavailable) => Err(unavailable),
        },
    };
    let report = result.unwrap_or_else(|error| {
        tracing::warn!(payment = %id, %error, "cannot send or query a payment at the bank; will retry");
        PaymentReport { outcome: PaymentOutcome::Pending, ask_again_at: None }
    });
    Reported { payment: id, report }
}

async fn send(services: &ProcessingServices, payment: &Payment) -> Result<PaymentReport, RailUnavailable> {
    match PaymentInstruction::of(payment) {
        Some(instruction) => services.rail.send(instruction).await,
        None => Err(RailUnavailable("a payment with Errors can't be sent".into())),
    }
}

async fn renew(services: &ProcessingServices, lease: &mut Lease) -> bool {
    let until = services.time.real_now() + services.limits.lease;
    match services.processing.renew(lease, until).await {
        Ok(true) => {
            lease.until = until;
            true
        }
        Ok(false) => false,
        Err(error) => {
            stopped(lease, &error);
            false
        }
    }
}

fn stopped(lease: &Lease, error: &dyn Display) -> MustStop {
    tracing::warn!(batch = %lease.batch, %error, "a worker stopped processing a payment batch");
    MustStop
}
