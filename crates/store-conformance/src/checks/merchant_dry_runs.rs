//! Checks of dry runs of payments of merchants: the answer of the real command, without its effect.

use super::dry_runs::{dry, journal, matches_dry_run};
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_paid_session, add_top_up, approval, create_refund, pay, refund_request, refund_step, step,
};
use crate::commands::claim;
use crate::expect::{absent, expect_new, refused, same};
use crate::factory::Handle;
use crate::merchants::checkout_id;
use crate::observe::Observation;
use crate::payments::after;
use crate::seed_data::{Who, seed_store};
use florin_domain::checkout::{
    CheckoutSession, MerchantPayment, PayerDecision, RefundAction, RefundRefusal, SessionRefusal,
};
use florin_domain::ids::MerchantPaymentId;
use florin_ports::{CreateRefundCommand, DryRun, Mode, RefundCommand, SessionCommand, WriteError};

checks! {
    "merchants.dry_run.changes_nothing" => changes_nothing,
    "merchants.dry_run.answers_as_the_real_one_would" => answers_as_the_real_one_would,
    "merchants.dry_run.reads_no_record_and_stores_none" => reads_no_record_and_stores_none,
    "tenancy.merchants.dry_run_of_foreign_objects_is_absent" => merchants_dry_run_of_foreign_objects_is_absent,
}

async fn preview_session(
    handle: &Handle,
    command: SessionCommand,
) -> Result<DryRun<CheckoutSession>, WriteError<SessionRefusal>> {
    dry(handle.checkout_sessions.act(SessionCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_creation(
    handle: &Handle,
    command: CreateRefundCommand,
) -> Result<DryRun<MerchantPayment>, WriteError<RefundRefusal>> {
    dry(handle.merchant_payments.create_refund(CreateRefundCommand { mode: Mode::DryRun, ..command }).await)
}

async fn preview_refund(
    handle: &Handle,
    command: RefundCommand,
) -> Result<DryRun<MerchantPayment>, WriteError<RefundRefusal>> {
    dry(handle.merchant_payments.act(RefundCommand { mode: Mode::DryRun, ..command }).await)
}

/// Creates session 1 of my account and pays it, and creates top-up 2. Returns the payment of the session.
async fn create_sales(handle: &Handle) -> Result<MerchantPaymentId, Failure> {
    seed_store(handle).await?;
    add_checkout(handle, Who::Main, 1).await?;
    let payment = add_paid_session(handle, Who::Main, checkout_id(1), 1).await?.id;
    add_top_up(handle, Who::Main, 2).await?;
    Ok(payment)
}

fn pay_top_up() -> Result<SessionCommand, Failure> {
    step(Who::Main, 2, pay(None, approval(after(200)))?, (2, after(200)))
}

fn refund_of(payment: MerchantPaymentId, number: u128) -> Result<CreateRefundCommand, Failure> {
    create_refund(Who::Main, payment, refund_request(Who::Main, number)?)
}

fn authorise(number: u128) -> Result<RefundCommand, Failure> {
    refund_step(Who::Main, number, RefundAction::AtBank(approval(after(300))), (number, after(300)))
}

async fn changes_nothing(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    for _ in 0..2 {
        preview_session(&handle, pay_top_up()?).await?;
        preview_creation(&handle, refund_of(payment, 251)?).await?;
        preview_refund(&handle, authorise(250)?).await?;
        let rejected = RefundAction::AtBank(PayerDecision::Reject);
        preview_refund(&handle, refund_step(Who::Main, 250, rejected, (250, after(300)))?).await?;
    }
    before.still_holds("dry runs of a merchant", &handle).await
}

async fn answers_as_the_real_one_would(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    let before = journal(&handle).await?;
    let preview = preview_session(&handle, pay_top_up()?).await?;
    let done = expect_new(handle.checkout_sessions.act(pay_top_up()?).await)?;
    matches_dry_run(&handle, before, &preview, &done).await?;
    same("budgets and transactions", (preview.balances.len(), preview.journal.len()), (1, 1))?;
    let preview = preview_creation(&handle, refund_of(payment, 250)?).await?;
    let done = expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    matches_dry_run(&handle, before + 1, &preview, &done).await?;
    let preview = preview_refund(&handle, authorise(250)?).await?;
    let done = expect_new(handle.merchant_payments.act(authorise(250)?).await)?;
    matches_dry_run(&handle, before + 1, &preview, &done).await?;
    same("the money of a refund", (preview.balances.len(), preview.journal.len()), (0, 1))?;
    let real = refused(handle.merchant_payments.act(authorise(250)?).await)?;
    same("a refusal", refused(preview_refund(&handle, authorise(250)?).await)?, real)
}

async fn reads_no_record_and_stores_none(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    let keyed = |body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, Failure>(CreateRefundCommand { claim, ..refund_of(payment, 250)? })
    };
    preview_creation(&handle, keyed("{}")?).await?;
    expect_new(handle.merchant_payments.create_refund(keyed("{}")?).await)?;
    let claimed = || Ok::<_, Failure>(SessionCommand { claim: Some(claim(Who::Main, "pay", "{}")?), ..pay_top_up()? });
    preview_session(&handle, claimed()?).await?;
    expect_new(handle.checkout_sessions.act(claimed()?).await)?;
    // The record of the creation is not read. If it were, the answer would be a mismatch: this is another request.
    let claim = Some(claim(Who::Main, "key", "[]")?);
    preview_refund(&handle, RefundCommand { claim, ..authorise(250)? }).await?;
    Ok(())
}

async fn merchants_dry_run_of_foreign_objects_is_absent(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    let account = Who::Other.account()?;
    absent("a session", &preview_session(&handle, SessionCommand { account: account.clone(), ..pay_top_up()? }).await)?;
    let creation = CreateRefundCommand { account: account.clone(), ..refund_of(payment, 251)? };
    absent("a payment", &preview_creation(&handle, creation).await)?;
    absent("a refund", &preview_refund(&handle, RefundCommand { account, ..authorise(250)? }).await)
}
