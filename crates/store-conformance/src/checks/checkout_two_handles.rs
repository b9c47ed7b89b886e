//! Checks of two handles on the same sessions and payments, like two instances of a program.

use super::contention::second;
use super::two_handles::race_on_both;
use super::{events, refunds, session_steps};
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_session, add_top_up, approval, checkout_session_id, create_refund, drawn_id, pay, payer_bank,
    refund_request, shipping, step,
};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::observe::{balances, books_are_right};
use crate::payments::after;
use crate::seed_data::{Who, gbp, seed_store};
use crate::together::race;
use florin_domain::checkout::{MerchantPaymentFilter, PaymentSort, SessionAction, SessionRefusal, SessionStatus};
use florin_domain::event::EventKind;
use florin_domain::ids::MerchantPaymentId;
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{WriteError, Written};

checks! {
    "two_handles.checkout_sessions.one_of_many_approvals_counts" (Reopen) => one_of_many_approvals_counts,
    "two_handles.checkout_sessions.of_cancellations_and_payments_one_wins" (Reopen) =>
        checkout_sessions_of_cancellations_and_payments_one_wins,
    "two_handles.merchant_payments.of_100_refunds_on_10_pounds_exactly_10_pass" (Reopen) =>
        merchant_payments_of_100_refunds_on_10_pounds_exactly_10_pass,
}

async fn one_of_many_approvals_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_top_up(&handle, Who::Main, 1).await?;
    let choose = step(Who::Main, 1, SessionAction::ChooseBank(payer_bank()?), (1, after(5)))?;
    expect_new(handle.checkout_sessions.act(choose).await)?;
    let approved = race_on_both(&handle, |handle, number| {
        let approve = SessionAction::AtBank(MerchantPaymentId(drawn_id(1, 0)), approval(after(9)));
        Ok(session_steps::work(&handle, step(Who::Main, 1, approve, (10 + u128::from(number), after(9)))?))
    });
    for answer in approved.await? {
        same("the status", expect_new(answer)?.status(), SessionStatus::Completed)?;
    }
    let balance = balances(&handle, Who::Main, gbp()?).await?;
    same("the budget", balance, Balances::new(Minor(10_500), Minor(0), Minor(0))?)?;
    same("events", events::kinds(&handle).await?, [(EventKind::BoxCredited, 1)].into())?;
    books_are_right(&handle).await
}

async fn checkout_sessions_of_cancellations_and_payments_one_wins(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    for session in 1..=4 {
        add_session(&handle, Who::Main, checkout, session).await?;
        let answers = race_on_both(&handle, |handle, number| {
            // Both handles pay and cancel.
            let action = match number / 2 % 2 {
                0 => pay(Some(shipping()?), approval(after(9)))?,
                _ => SessionAction::MerchantCancels,
            };
            let first = session * 1_000 + u128::from(number) * 10;
            Ok(session_steps::work(&handle, step(Who::Main, session, action, (first, after(9)))?))
        });
        let mut winners = Vec::new();
        for answer in answers.await? {
            match answer {
                Ok(Written::New(session)) => winners.push(session),
                Err(WriteError::Refused(SessionRefusal::NotOpen(_))) => {}
                other => return Err(Failure::new(format!("neither a winner nor a refusal: {other:?}"))),
            }
        }
        same("winners", winners.len(), 1)?;
        let mine = Who::Main.account()?;
        let found =
            expect_some("the session", handle.checkout_sessions.find(&mine, checkout_session_id(session)).await?)?;
        let is_paid = found.session.status() == SessionStatus::Completed;
        same("its payments", (found.attempts, found.pending()), (i64::from(is_paid), None))?;
        same("the session", winners.pop(), Some(found.session))?;
    }
    books_are_right(&handle).await
}

async fn merchant_payments_of_100_refunds_on_10_pounds_exactly_10_pass(handle: Handle) -> CheckResult {
    let payment = refunds::create_purchase(&handle).await?.id;
    let other = second(&handle).await?;
    let handles = [&handle, &other].into_iter().cycle();
    let command = |number| create_refund(Who::Main, payment, refund_request(Who::Main, number)?);
    let all = (0..100).zip(handles).map(|(number, handle)| Ok(refunds::work(handle, command(number)?)));
    refunds::expect_ten_of_100(race(all.collect::<Result<_, Failure>>()?).await?)?;
    let filter = MerchantPaymentFilter { refunded: Some(payment), ..MerchantPaymentFilter::default() };
    let (mine, page) = (Who::Main.account()?, PageRequest::default());
    let listed = other.merchant_payments.list(&mine, filter, PaymentSort::NewestFirst, page).await?;
    same("the refunds", listed.count, 10)
}
