//! Checks of confirmations: attempts are counted, and money is reserved exactly once.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{RIGHT, SANDBOX, confirm, open, session_id};
use crate::expect::{absent, expect_new, expect_some, refused, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, batch, books_are_right};
use crate::seed_data::{Who, enrolment, gbp, jpy, noon, seed_data, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::batch::{ConfirmRefusal, ConfirmSituation, PaymentBatch, PaymentBatchStatus};
use florin_domain::ids::PaymentBatchId;
use florin_domain::ledger::Balances;
use florin_domain::mfa::{MfaFailure, MfaProviderName, MfaSessionState, MfaVerdict, TotpEnrolment};
use florin_domain::money::Minor;

const TOTP: MfaProviderName = MfaProviderName::Totp;

checks! {
    "batches.confirm.stores_the_whole_decision" => stores_the_whole_decision,
    "batches.confirm.is_shown_policy_session_and_budgets" => confirm_is_shown_policy_session_and_budgets,
    "batches.confirm.attempts_are_stored_though_refused" => attempts_are_stored_though_refused,
    "batches.confirm.wrong_totp_tokens_are_stored_though_refused" => totp_attempts,
    "batches.confirm.lock_is_stored" => lock_is_stored,
    "batches.confirm.short_funds_use_up_nothing" => short_funds,
    "batches.confirm.refusal_changes_nothing" => refusal_changes_nothing,
    "batches.confirm.unknown_batch_is_absent" => unknown_batch,
    "batches.confirm.of_many_at_once_one_wins" => confirm_of_many_at_once_one_wins,
}

async fn situation_with_session(handle: &Handle, session: u128) -> Result<ConfirmSituation, Failure> {
    let account = Who::Main.account()?;
    expect_some("the batch", batch(handle, &account, Who::Main.batch(), Some(session_id(session))).await?)
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, TOTP)?).await)?;
    let right = MfaVerdict::Correct { step: Some(i64::MAX) };
    let done = expect_new(handle.batches.confirm(confirm(Who::Main, 1, 1, (TOTP, right))?).await)?;
    same(
        "the status",
        (done.status(), done.state.confirmation().map(|confirmed| confirmed.at)),
        (PaymentBatchStatus::Confirmed, Some(noon())),
    )?;
    let batches = handle.seeding.batches(&Who::Main.account()?).await?;
    same("the batch", batches.first(), Some(&done))?;
    same("another batch", batches.get(1).map(PaymentBatch::status), Some(PaymentBatchStatus::Draft))?;
    let after = situation_with_session(&handle, 1).await?;
    same("the session", after.session.map(|session| session.state), Some(MfaSessionState::Used))?;
    same("the enrolment", after.enrolment.map(|enrolment| enrolment.used_steps), Some(vec![i64::MAX]))?;
    let first = Balances::new(Minor(8_500), Minor(0), Minor(1_000))?;
    let second = Balances::new(Minor(4_500), Minor(0), Minor(500))?;
    same("the first budget", after.balances.get(&(Who::Main.budget(), gbp()?)), Some(&first))?;
    same("the second budget", after.balances.get(&(Who::Main.second_budget(), gbp()?)), Some(&second))?;
    same("the journal", handle.books_check.check_all().await?.journal_transactions, 8)?;
    books_are_right(&handle).await
}

async fn confirm_is_shown_policy_session_and_budgets(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    data.accounts[0].account.mfa_required = false;
    handle.seeding.seed(data).await?;
    let session = expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let with = situation_with_session(&handle, 1).await?;
    same("the session", with.session, Some(session))?;
    same("an unknown session", situation_with_session(&handle, 2).await?.session, None)?;
    same("policy and enrolment", (with.mfa_required, with.enrolment), (false, Some(enrolment(Who::Main)?)))?;
    let account = Who::Main.account()?;
    let without = expect_some("the batch", batch(&handle, &account, Who::Main.batch(), None).await?)?;
    same("no session", without.session, None)?;
    let pounds = |budget| with.balances.get(&(budget, gbp().ok()?)).map(Balances::available);
    let expected = (Some(Minor(9_500)), Some(Minor(5_000)));
    same("the budgets", (pounds(Who::Main.budget()), pounds(Who::Main.second_budget())), expected)?;
    let yen = with.balances.get(&(Who::Main.budget(), jpy()?)).map(Balances::available);
    same("the balance of another currency, if the rule is shown it", yen.unwrap_or(Minor(5_000)), Minor(5_000))?;
    let other = batch(&handle, &Who::Other.account()?, Who::Other.batch(), None).await?;
    same("the other's policy", expect_some("the other's batch", other)?.mfa_required, true)
}

async fn attempts_are_stored_though_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let before = situation_with_session(&handle, 1).await?;
    for wrong in 1..=5 {
        let answer = handle.batches.confirm(confirm(Who::Main, 1, 1, (SANDBOX, MfaVerdict::Wrong))?).await;
        same("the refusal", refused(answer)?, ConfirmRefusal::Mfa(MfaFailure::Failed))?;
        let after = situation_with_session(&handle, 1).await?;
        let session = expect_some("the session", after.session)?;
        same("wrong tokens", session.wrong_tokens, wrong)?;
        same("locked", session.state == MfaSessionState::Locked, wrong == 5)?;
        same("batch and balances", (after.batch, after.balances), (before.batch.clone(), before.balances.clone()))?;
    }
    let late = handle.batches.confirm(confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?).await;
    same("a right token, too late", refused(late)?, ConfirmRefusal::Mfa(MfaFailure::Locked))
}

async fn totp_attempts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, TOTP)?).await)?;
    for wrong in 1..=3 {
        refused(handle.batches.confirm(confirm(Who::Main, 1, 1, (TOTP, MfaVerdict::Wrong))?).await)?;
        let enrolled = expect_some("the enrolment", handle.mfa.enrolment(&Who::Main.account()?).await?)?;
        same("when wrong tokens came", &enrolled.wrong_at, &vec![noon(); wrong])?;
        let shown = situation_with_session(&handle, 1).await?;
        same("the enrolment that rules see", shown.enrolment, Some(enrolled))?;
        same("the session", shown.session.map(|session| session.wrong_tokens), u32::try_from(wrong).ok())?;
    }
    let other = handle.mfa.enrolment(&Who::Other.account()?).await?;
    same("the other's enrolment", other, Some(enrolment(Who::Other)?))
}

async fn lock_is_stored(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let at = |number: i64| noon() - TimeDelta::microseconds(number);
    let nearly = TotpEnrolment {
        wrong_at: (1..20).rev().map(at).collect(),
        used_steps: vec![i64::MIN],
        ..enrolment(Who::Main)?
    };
    data.accounts[0].enrolment = Some(nearly.clone());
    handle.seeding.seed(data).await?;
    same("what was seeded", handle.mfa.enrolment(&Who::Main.account()?).await?, Some(nearly))?;
    expect_new(handle.mfa.open(open(Who::Main, 1, TOTP)?).await)?;
    refused(handle.batches.confirm(confirm(Who::Main, 1, 1, (TOTP, MfaVerdict::Wrong))?).await)?;
    let locked = expect_some("the enrolment", handle.mfa.enrolment(&Who::Main.account()?).await?)?;
    same("the lock", (locked.locked_until, locked.wrong_at), (Some(noon() + TotpEnrolment::window()), vec![]))?;
    let answer = handle.batches.confirm(confirm(Who::Main, 1, 1, (TOTP, RIGHT))?).await;
    same("a right token under lock", refused(answer)?, ConfirmRefusal::Mfa(MfaFailure::Locked))
}

async fn short_funds(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(999)?).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let before = Observation::take(&handle, 1).await?;
    let answer = handle.batches.confirm(confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?).await;
    let short = matches!(refused(answer)?, ConfirmRefusal::InsufficientFunds(shortages) if shortages.len() == 1);
    same("whether one budget is short of funds", short, true)?;
    before.still_holds("a confirmation short of funds", &handle).await
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    // This session does not exist.
    let answer = handle.batches.confirm(confirm(Who::Main, 2, 1, (SANDBOX, RIGHT))?).await;
    same("the refusal", refused(answer)?, ConfirmRefusal::Mfa(MfaFailure::Failed))?;
    let mut draft = confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?;
    draft.batch = Who::Main.draft();
    refused(handle.batches.confirm(draft).await)?;
    before.still_holds("a refused confirmation", &handle).await
}

async fn unknown_batch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut command = confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?;
    command.batch = PaymentBatchId(uuid(20, 99));
    absent("an unknown batch", &handle.batches.confirm(command).await)
}

async fn confirm_of_many_at_once_one_wins(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut tasks = Vec::new();
    for number in 1..=10 {
        expect_new(handle.mfa.open(open(Who::Main, number, SANDBOX)?).await)?;
    }
    for number in 1..=10 {
        let batches = handle.batches.clone();
        let command = confirm(Who::Main, number, number * 10, (SANDBOX, RIGHT))?;
        tasks.push(tokio::spawn(async move { batches.confirm(command).await }));
    }
    let (mut won, mut lost) = (0, 0);
    for task in tasks {
        match task.await.map_err(|error| Failure::new(error.to_string()))? {
            Ok(_) => won += 1,
            Err(florin_ports::WriteError::Refused(ConfirmRefusal::State(_))) => lost += 1,
            Err(other) => return Err(Failure::new(format!("neither won nor lost: {other:?}"))),
        }
    }
    same("winners and losers", (won, lost), (1, 9))?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", now, Balances::new(Minor(8_500), Minor(0), Minor(1_000))?)?;
    books_are_right(&handle).await
}
