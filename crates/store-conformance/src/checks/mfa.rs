//! Checks of MFA sessions and enrolments.

use crate::check::{CheckResult, checks};
use crate::commands::{SANDBOX, open, session_id};
use crate::expect::{absent, duplicate, expect_new, expect_some, refused, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, batch, opening};
use crate::seed_data::{BOTH, Who, enrolment, noon, seed_data, seed_store, uuid};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_domain::mfa::{MfaProviderName, MfaSession, OpenRefusal};

checks! {
    "mfa.open.stores_the_session" => stores_the_session,
    "mfa.open.is_shown_batch_and_enrolment" => open_is_shown_batch_and_enrolment,
    "mfa.open.refusal_changes_nothing" => refusal_changes_nothing,
    "mfa.open.unknown_batch_is_absent" => unknown_batch,
    "mfa.open.id_that_is_taken_is_a_duplicate" => id_that_is_taken_is_a_duplicate,
    "mfa.enrolment.is_the_accounts_own" => own_enrolment,
}

async fn stores_the_session(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, provider) in [(1, SANDBOX), (2, MfaProviderName::Totp)] {
        let done = expect_new(handle.mfa.open(open(Who::Main, number, provider)?).await)?;
        let (client, account) = (Who::Main.client(), Who::Main.account()?);
        let expected =
            MfaSession::open(session_id(number), client, account.clone(), Who::Main.batch(), provider, noon());
        same("the answer", &done, &expected)?;
        let seen = expect_some("the batch", batch(&handle, &account, Who::Main.batch(), Some(done.id)).await?)?;
        same("the session", seen.session, Some(expected))?;
    }
    Ok(())
}

async fn open_is_shown_batch_and_enrolment(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let account = Who::Main.account()?;
    let seen = expect_some("the batch", opening(&handle, &account, Who::Main.batch()).await?)?;
    same("the enrolment", seen.enrolment, Some(enrolment(Who::Main)?))?;
    let batches = handle.seeding.batches(&account).await?;
    same("the batch", Some(&seen.batch), batches.iter().find(|batch| batch.id == Who::Main.batch()))
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    data.accounts[0].enrolment = None;
    handle.seeding.seed(data).await?;
    let before = Observation::take(&handle, 1).await?;
    let refusal = refused(handle.mfa.open(open(Who::Main, 1, MfaProviderName::Totp)?).await)?;
    same("the refusal", refusal, OpenRefusal::NotEnrolled(MfaProviderName::Totp))?;
    let mut draft = open(Who::Main, 1, SANDBOX)?;
    draft.batch = Who::Main.draft();
    refused(handle.mfa.open(draft).await)?;
    before.still_holds("a session that was not opened", &handle).await
}

async fn unknown_batch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut command = open(Who::Main, 1, SANDBOX)?;
    command.batch = PaymentBatchId(uuid(20, 99));
    absent("an unknown batch", &handle.mfa.open(command).await)
}

async fn id_that_is_taken_is_a_duplicate(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let before = Observation::take(&handle, 1).await?;
    let error = store_failed(handle.mfa.open(open(Who::Main, 1, MfaProviderName::Totp)?).await)?;
    duplicate::<()>("a session of the same id", &Err(error))?;
    before.still_holds("a session of the same id", &handle).await
}

async fn own_enrolment(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in BOTH {
        same("the enrolment", handle.mfa.enrolment(&who.account()?).await?, Some(enrolment(who)?))?;
    }
    same("the enrolment of an unknown account", handle.mfa.enrolment(&AccountId::parse("F3")?).await?, None)
}
