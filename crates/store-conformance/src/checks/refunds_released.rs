//! Checks that a refund that fails or is cancelled releases its part of the payment.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_checkout, add_paid_session, create_refund, refund_request, refund_step};
use crate::expect::{expect_new, expect_some, refused, same};
use crate::factory::Handle;
use crate::payments::after;
use crate::seed_data::{Who, gbp, seed_store};
use chrono::TimeDelta;
use florin_domain::checkout::{
    BankAnswer, BankReport, BankReportResult, PayerDecision, PaymentFailure, RefundAction, RefundRefusal,
    RefundRequest, RefundStatus,
};
use florin_domain::money::Minor;

checks! {
    "merchant_payments.create_refund.what_failed_or_was_cancelled_is_released" =>
        what_failed_or_was_cancelled_is_released,
}

async fn what_failed_or_was_cancelled_is_released(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let payment = add_paid_session(&handle, Who::Main, checkout, 1).await?.id;
    let mine = Who::Main.account()?;
    let refund = async |number| {
        let request = RefundRequest { amount: Minor(1_000).of(gbp()?), ..refund_request(Who::Main, number)? };
        Ok::<_, Failure>(handle.merchant_payments.create_refund(create_refund(Who::Main, payment, request)?).await)
    };
    let report = BankReport { at: after(400), result: BankReportResult::Failed(PaymentFailure::TechnicalError) };
    let failing = PayerDecision::Approve(BankAnswer::Report(report));
    let late = after(400) + TimeDelta::minutes(20);
    for (number, action, at, status) in [
        (250, RefundAction::AtBank(PayerDecision::Leave), after(300), RefundStatus::Cancelled),
        (251, RefundAction::AtBank(PayerDecision::Reject), after(300), RefundStatus::Cancelled),
        (252, RefundAction::AtBank(failing), after(400), RefundStatus::Failed),
        (253, RefundAction::Due, late, RefundStatus::Cancelled),
    ] {
        expect_new(refund(number).await?)?;
        let nothing_left = RefundRefusal::AboveRemainder(Minor(0).of(gbp()?));
        same("while it is open", refused(refund(number + 10).await?)?, nothing_left)?;
        let ended =
            expect_new(handle.merchant_payments.act(refund_step(Who::Main, number, action, (number, at))?).await)?;
        same("how it ended", ended.refund_status(), status)?;
        let shown = expect_some("the payment", handle.merchant_payments.find(&mine, payment).await?)?;
        same("whether it is refundable", shown.is_refundable, true)?;
    }
    expect_new(refund(254).await?).map(drop)
}
