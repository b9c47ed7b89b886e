//! Checks that batches with payments are confirmed atomically.

use super::payments_manage::balance_set;
use crate::check::{CheckResult, checks};
use crate::expect::{expect_new, expect_some, expect_true, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right};
use crate::payments::{NewPayments, add_confirmed_batch, after, batch_id, confirm, content, create, empty, statuses};
use crate::seed_data::{Who, gbp, noon, seed_store};
use florin_domain::batch::PaymentStatus;
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;

checks! {
    "batches.confirm.marks_every_payment_and_reserves_fees" => confirmed_with_fees,
    "batches.confirm.failure_marks_no_payment" => confirm_failed,
}

async fn confirmed_with_fees(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let batch = add_confirmed_batch(&handle, Who::Main, 1, 4).await?;
    same("who confirmed it", batch.state.confirmation().and_then(|confirmed| confirmed.by), Some(Who::Main.client()))?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("the batch", &found.batch, &batch)?;
    same("its payments", statuses(&found.payments), vec![(PaymentStatus::Confirmed, 4)])?;
    expect_true("a payment has another time", found.payments.iter().all(|payment| payment.updated_at == after(30)))?;
    // 1.00 and 1.02 with one fee from the first budget, 1.01 and 1.03 with one fee from the second.
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the first budget", now, Balances::new(Minor(9_500 - 207), Minor(0), Minor(207))?)?;
    let expected =
        [Balances::new(Minor(9_293), Minor(0), Minor(207))?, Balances::new(Minor(4_791), Minor(0), Minor(209))?];
    same("both budgets", balance_set(&handle).await?, expected.to_vec())?;
    let funds = expect_some("funds", handle.reading.funds(&Who::Main.account()?, batch_id(1)).await?)?;
    same("the batch", funds.batch, found.batch)?;
    for (budget, expected) in [Who::Main.budget(), Who::Main.second_budget()].into_iter().zip(expected) {
        same("its funds", funds.balances.get(&(budget, gbp()?)).copied(), Some(expected))?;
    }
    books_are_right(&handle).await
}

async fn confirm_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let new_payments = NewPayments::of(500, 4);
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 2, noon())?, Some(new_payments))?).await)?;
    let before = Observation::take(&handle, 0).await?;
    // Its second journal id already belongs to the first confirmation.
    store_failed(handle.batches.confirm(confirm(Who::Main, batch_id(2), 99_999)?).await)?;
    before.still_holds("a confirmation that failed half-way", &handle).await?;
    expect_new(handle.batches.confirm(confirm(Who::Main, batch_id(2), 300)?).await)?;
    books_are_right(&handle).await
}
