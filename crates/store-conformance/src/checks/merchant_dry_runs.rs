//! Checks of dry runs of payments of merchants: the answer of the real command, without its effect.

use super::dry_runs::{came_true, dry, journal};
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    approval, create_refund, pay, refund_request, refund_step, shop, sold, step, topped_up,
};
use crate::commands::claim;
use crate::expect::{absent, expect_new, refused, same};
use crate::factory::Handle;
use crate::merchants::checkout_id;
use crate::observe::Observation;
use crate::payments::after;
use crate::world::{Who, seeded};
use florin_domain::checkout::{
    CheckoutSession, MerchantPayment, PayerDecision, RefundAction, RefundRefusal, SessionRefusal,
};
use florin_domain::ids::MerchantPaymentId;
use florin_ports::{CreateRefundCommand, DryRun, Mode, RefundCommand, SessionCommand, WriteError};

checks! {
    "merchants.dry_run.changes_nothing" => nothing,
    "merchants.dry_run.answers_as_the_real_one_would" => answers,
    "merchants.dry_run.reads_no_record_and_stores_none" => records,
    "tenancy.merchants.dry_run_of_foreign_objects_is_absent" => foreign,
}

async fn try_session(
    handle: &Handle,
    command: SessionCommand,
) -> Result<DryRun<CheckoutSession>, WriteError<SessionRefusal>> {
    dry(handle.checkout_sessions.act(SessionCommand { mode: Mode::DryRun, ..command }).await)
}

async fn try_creation(
    handle: &Handle,
    command: CreateRefundCommand,
) -> Result<DryRun<MerchantPayment>, WriteError<RefundRefusal>> {
    dry(handle.merchant_payments.create_refund(CreateRefundCommand { mode: Mode::DryRun, ..command }).await)
}

async fn try_refund(
    handle: &Handle,
    command: RefundCommand,
) -> Result<DryRun<MerchantPayment>, WriteError<RefundRefusal>> {
    dry(handle.merchant_payments.act(RefundCommand { mode: Mode::DryRun, ..command }).await)
}

/// Sells session 1 of mine, and creates top-up 2. Returns the payment.
async fn create_sales(handle: &Handle) -> Result<MerchantPaymentId, Failure> {
    seeded(handle).await?;
    shop(handle, Who::Mine, 1).await?;
    let payment = sold(handle, Who::Mine, checkout_id(1), 1).await?.id;
    topped_up(handle, Who::Mine, 2).await?;
    Ok(payment)
}

fn pay_top_up() -> Result<SessionCommand, Failure> {
    step(Who::Mine, 2, pay(None, approval(after(200)))?, (2, after(200)))
}

fn refund_of(payment: MerchantPaymentId, number: u128) -> Result<CreateRefundCommand, Failure> {
    create_refund(Who::Mine, payment, refund_request(Who::Mine, number)?)
}

fn authorise(number: u128) -> Result<RefundCommand, Failure> {
    refund_step(Who::Mine, number, RefundAction::AtBank(approval(after(300))), (number, after(300)))
}

async fn nothing(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    for _ in 0..2 {
        try_session(&handle, pay_top_up()?).await?;
        try_creation(&handle, refund_of(payment, 251)?).await?;
        try_refund(&handle, authorise(250)?).await?;
        let rejected = RefundAction::AtBank(PayerDecision::Reject);
        try_refund(&handle, refund_step(Who::Mine, 250, rejected, (250, after(300)))?).await?;
    }
    before.still_holds("dry runs of a merchant", &handle).await
}

async fn answers(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    let before = journal(&handle).await?;
    let tried = try_session(&handle, pay_top_up()?).await?;
    let done = expect_new(handle.checkout_sessions.act(pay_top_up()?).await)?;
    came_true(&handle, before, &tried, &done).await?;
    same("budgets and transactions", (tried.balances.len(), tried.journal.len()), (1, 1))?;
    let tried = try_creation(&handle, refund_of(payment, 250)?).await?;
    let done = expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    came_true(&handle, before + 1, &tried, &done).await?;
    let tried = try_refund(&handle, authorise(250)?).await?;
    let done = expect_new(handle.merchant_payments.act(authorise(250)?).await)?;
    came_true(&handle, before + 1, &tried, &done).await?;
    same("the money of a refund", (tried.balances.len(), tried.journal.len()), (0, 1))?;
    let real = refused(handle.merchant_payments.act(authorise(250)?).await)?;
    same("a refusal", refused(try_refund(&handle, authorise(250)?).await)?, real)
}

async fn records(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    let keyed = |body| {
        let claim = Some(claim(Who::Mine, "key", body)?);
        Ok::<_, Failure>(CreateRefundCommand { claim, ..refund_of(payment, 250)? })
    };
    try_creation(&handle, keyed("{}")?).await?;
    expect_new(handle.merchant_payments.create_refund(keyed("{}")?).await)?;
    let claimed = || Ok::<_, Failure>(SessionCommand { claim: Some(claim(Who::Mine, "pay", "{}")?), ..pay_top_up()? });
    try_session(&handle, claimed()?).await?;
    expect_new(handle.checkout_sessions.act(claimed()?).await)?;
    // The record of the creation is not read: it would be another request.
    let claim = Some(claim(Who::Mine, "key", "[]")?);
    try_refund(&handle, RefundCommand { claim, ..authorise(250)? }).await?;
    Ok(())
}

async fn foreign(handle: Handle) -> CheckResult {
    let payment = create_sales(&handle).await?;
    expect_new(handle.merchant_payments.create_refund(refund_of(payment, 250)?).await)?;
    let account = Who::Other.account()?;
    absent("a session", &try_session(&handle, SessionCommand { account: account.clone(), ..pay_top_up()? }).await)?;
    let creation = CreateRefundCommand { account: account.clone(), ..refund_of(payment, 251)? };
    absent("a payment", &try_creation(&handle, creation).await)?;
    absent("a refund", &try_refund(&handle, RefundCommand { account, ..authorise(250)? }).await)
}
