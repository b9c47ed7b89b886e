//! Checks of failing writes of payment batches: a failure between any two writes leaves nothing.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::claim as claimed;
use crate::expect::{expect_new, expect_some, expect_true};
use crate::factory::Handle;
use crate::failing_writes::{End, FaultedCommand, end, plain_end};
use crate::observe::{Observation, books_are_right};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, claim, confirm, create, empty, payment_id, record,
    start, start_payments, upload,
};
use crate::seed_data::{Who, gbp, noon, seed_data};
use florin_domain::batch::{FailureReason, PaymentOutcome};
use florin_domain::money::Minor;
use florin_ports::{AcceptedPayment, Lease, StoreError};

checks! {
    "injected.failure_of_any_write_of_batches_leaves_nothing" (Faults) => any_write,
}

/// Returns whether only commands on batches write at a place.
pub(super) fn is_ours(place: &str) -> bool {
    let tables = ["payments", "payment_alerts", "payment_orders", "sandbox_payments"];
    tables.iter().any(|table| place.ends_with(&format!(" {table}")))
        || ["INSERT ON payment_batches", "INSERT ON event_sequences"].contains(&place)
}

/// Returns whether commands on batches write at a place.
fn is_written(place: &str) -> bool {
    let shared =
        ["journal_legs", "balances", "payment_batches", "idempotency_records", "outbox_events", "event_sequences"];
    is_ours(place) || shared.iter().any(|table| place.ends_with(table))
}

/// The batches on which the commands of a round operate.
struct RoundBatches {
    /// Number of the first batch.
    base: u128,
    /// The lease of a started batch whose payment is not started yet.
    to_start: Lease,
    /// The lease of a started batch whose payment is started.
    to_record: Lease,
}

impl RoundBatches {
    async fn prepare(handle: &Handle, base: u128) -> Result<Self, Failure> {
        let new_payments = NewPayments::of(base * 100_000, 1).with_faults(&[0]);
        expect_new(
            handle.management.create(create(Who::Main, empty(Who::Main, base, noon())?, Some(new_payments))?).await,
        )?;
        let new_payments = Some(NewPayments::of((base + 1) * 100_000, 1));
        expect_new(
            handle.management.create(create(Who::Main, empty(Who::Main, base + 1, noon())?, new_payments)?).await,
        )?;
        for number in base + 2..base + 5 {
            add_confirmed_batch(handle, Who::Main, number, 1).await?;
        }
        let now = after(80 + i64::try_from(base).unwrap_or(0) * 100);
        let leases = handle.processing.claim(claim(base, now, 100)).await?;
        let of = |number| leases.iter().find(|lease| lease.batch == batch_id(number)).cloned();
        let (to_start, to_record) = (expect_some("a lease", of(base + 3))?, expect_some("a lease", of(base + 4))?);
        handle.processing.start(start(&to_start, (base + 3) * 100_000 + 50)).await?;
        handle.processing.start(start(&to_record, (base + 4) * 100_000 + 50)).await?;
        handle.processing.start_payments(start_payments(&to_record, 1, (base + 4) * 100_000 + 60)).await?;
        Ok(Self { base, to_start, to_record })
    }

    /// Executes the command with this number. `None`: there is no such command.
    async fn execute(&self, handle: &Handle, command: u8) -> Result<Option<End>, Failure> {
        let (base, key) = (self.base, format!("{command}-{}", self.base));
        Ok(Some(match command {
            0 => {
                let new_payments = NewPayments::of((base + 5) * 100_000, 2).with_faults(&[1]);
                let mut command = create(Who::Main, empty(Who::Main, base + 5, noon())?, Some(new_payments))?;
                command.claim = Some(claimed(Who::Main, &key, "{}")?);
                end(handle.management.create(command).await)?
            }
            1 => {
                let mut command =
                    upload(Who::Main, batch_id(base), NewPayments::of((base + 6) * 100_000, 2).with_faults(&[1]))?;
                command.claim = Some(claimed(Who::Main, &key, "{}")?);
                end(handle.management.upload(command).await)?
            }
            2 => end(handle.management.upload(upload(Who::Main, batch_id(base), NewPayments::of(0, 0))?).await)?,
            3 => {
                let mut command = confirm(Who::Main, batch_id(base + 1), (base + 1) * 100_000)?;
                command.claim = Some(claimed(Who::Main, &key, "{}")?);
                end(handle.batches.confirm(command).await)?
            }
            4 => {
                let mut command = cancel(Who::Main, batch_id(base + 2), (base + 2) * 100_000 + 70)?;
                command.claim = Some(claimed(Who::Main, &key, "{}")?);
                end(handle.management.cancel(command).await)?
            }
            5 => plain_end(
                handle.processing.start_payments(start_payments(&self.to_start, 1, (base + 3) * 100_000 + 60)).await,
            )?,
            6 => {
                let (paid, ids) = ([payment_id((base + 4) * 100_000)], (base + 4) * 100_000 + 70);
                let back = PaymentOutcome::Returned(FailureReason::AccountClosed);
                plain_end(handle.processing.record(record(&self.to_record, &paid, back, None, ids)).await)?
            }
            7 if handle.serves_sandbox => {
                let (id, amount) = (payment_id(base), Minor(1).of(gbp()?));
                let payment = AcceptedPayment { id, amount, reference: None, accepted_at: noon() };
                let payer = Who::Main.account()?;
                let accepted: Result<_, StoreError> = handle.bank.accept(&payer, payment).await;
                if accepted.is_err() && handle.bank.find(&payer, id).await?.is_some() {
                    return Err(Failure::new("a payment that could not be accepted is remembered"));
                }
                plain_end(accepted)?
            }
            _ => return Ok(None),
        }))
    }
}

async fn any_write(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(10_000_000)?).await?;
    let Some(faults) = handle.faults.clone() else { return Ok(()) };
    let places =
        faults.places().into_iter().filter(|place| is_written(place) && !super::management_injected::is_ours(place));
    for (base, place) in (1..).map(|number| number * 10).zip(places) {
        let batches = RoundBatches::prepare(&handle, base).await?;
        let mut failed = 0;
        for command in 0_u8.. {
            let before = Observation::of_accounts(&handle, &[Who::Main], 0..=0).await?;
            faults.arm(&place).await?;
            let ended = batches.execute(&handle, command).await;
            faults.disarm().await?;
            let Some(ended) = ended? else { break };
            let has_key = matches!(command, 0 | 1 | 3 | 4);
            let faulted = FaultedCommand { name: format!("command {command}"), has_key, expected: End::Effect };
            if faulted.failed(ended, &place)? {
                before.still_holds(&format!("command {command}, which failed at `{place}`,"), &handle).await?;
                failed += 1;
                let again = expect_some("the command", batches.execute(&handle, command).await?)?;
                faulted.works_again(again, &place)?;
            }
        }
        expect_true(&format!("no command failed at `{place}`"), failed > 0)?;
    }
    books_are_right(&handle).await
}
