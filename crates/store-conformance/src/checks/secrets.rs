//! Checks of encrypted secrets, and of the key that a store is bound to.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::seed_data::{BOTH, Who, seed_store};
use crate::together::{Work, race};
use crate::worlds::{command, copy, restore, seed_all_but_my_account, snapshot};
use florin_domain::ids::AccountId;
use florin_domain::mfa::TotpEnrolment;
use florin_domain::secret::{SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{CreateWorldCommand, StoredSecret};
use std::sync::Arc;

checks! {
    "secrets.bind_secret_key.the_first_counts" => bound_once,
    "secrets.change_secret_key.from_the_bound_one_only" => change_secret_key_from_the_bound_one_only,
    "secrets.secrets.of_the_filter_up_to_the_maximum" => secrets_of_the_filter_up_to_the_maximum,
    "secrets.replace_secret.if_it_is_unchanged" => replace_secret_if_it_is_unchanged,
    "secrets.page_secret.the_first_counts_and_is_replaced_like_others" => page_secret,
    "worlds.restore.keeps_the_present_secret" (Sandbox) => present_secret,
    "worlds.restore.of_a_removed_secret_has_no_enrolment" (Sandbox) => removed_secret,
    "worlds.create.secrets_of_a_snapshot_are_sealed_again" (Sandbox) => sealed_again,
}

const OLD: SecretKeyId = SecretKeyId([1; 8]);
const NEW: SecretKeyId = SecretKeyId([2; 8]);

fn sealed(key: SecretKeyId, number: u8) -> SealedSecret {
    SealedSecret::encrypted(key, &[number; 60])
}

fn owner(who: Who) -> Result<SecretOwner, Failure> {
    Ok(SecretOwner::Totp(who.account()?))
}

async fn enrol(handle: &Handle, account: &AccountId, secret: SealedSecret) -> CheckResult {
    Ok(handle.registry.enrol(TotpEnrolment::new(account.clone(), secret)).await?)
}

async fn secret_of(handle: &Handle, account: &AccountId) -> Result<Option<Vec<u8>>, Failure> {
    let enrolment = handle.mfa.enrolment(account).await?;
    Ok(enrolment.map(|enrolment| enrolment.secret.as_bytes().to_vec()))
}

async fn bound_once(handle: Handle) -> CheckResult {
    same("the key of a new store", handle.secrets.secret_key().await?, None)?;
    let first = StoreKey { id: OLD, kept: Some(Secret::new(vec![0; 32])) };
    let second = StoreKey { id: NEW, kept: None };
    same("the first binding", handle.secrets.bind_secret_key(first.clone()).await?, first.clone())?;
    same("a second binding", handle.secrets.bind_secret_key(second).await?, first.clone())?;
    same("the key", handle.secrets.secret_key().await?, Some(first))
}

async fn change_secret_key_from_the_bound_one_only(handle: Handle) -> CheckResult {
    let key = |id| StoreKey { id, kept: None };
    same("without a key", handle.secrets.change_secret_key(OLD, key(NEW)).await?, false)?;
    handle.secrets.bind_secret_key(StoreKey { id: OLD, kept: Some(Secret::new(vec![7; 32])) }).await?;
    same("from another key", handle.secrets.change_secret_key(NEW, key(NEW)).await?, false)?;
    same("the key", handle.secrets.secret_key().await?.map(|key| key.id), Some(OLD))?;
    same("from the key", handle.secrets.change_secret_key(OLD, key(NEW)).await?, true)?;
    same("the key", handle.secrets.secret_key().await?, Some(key(NEW)))
}

async fn secrets_of_the_filter_up_to_the_maximum(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clear = SealedSecret::clear(&Secret::new(vec![9; 20]));
    enrol(&handle, &Who::Main.account()?, sealed(OLD, 1)).await?;
    enrol(&handle, &Who::Other.account()?, clear.clone()).await?;
    let old = StoredSecret { owner: owner(Who::Main)?, secret: sealed(OLD, 1) };
    let other = StoredSecret { owner: owner(Who::Other)?, secret: clear };
    let found = async |filter, max| Ok::<_, Failure>(handle.secrets.secrets(filter, max).await?);
    same("secrets in clear", found(SecretFilter::InClear, 9).await?, vec![other.clone()])?;
    same("secrets that are not under the old key", found(SecretFilter::NotUnder(OLD), 9).await?, vec![other.clone()])?;
    let all = found(SecretFilter::NotUnder(NEW), 9).await?;
    expect_true("not all secrets are found", all.len() == 2 && all.contains(&old) && all.contains(&other))?;
    same("at most one", found(SecretFilter::NotUnder(NEW), 1).await?.len(), 1)
}

async fn replace_secret_if_it_is_unchanged(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, who) in (1..).zip(BOTH) {
        enrol(&handle, &who.account()?, sealed(OLD, number)).await?;
    }
    let mine = owner(Who::Main)?;
    let replace = async |old, new| Ok::<_, Failure>(handle.secrets.replace_secret(&mine, &old, new).await?);
    same("another secret", replace(sealed(OLD, 2), sealed(NEW, 3)).await?, false)?;
    same("the secret", replace(sealed(OLD, 1), sealed(NEW, 4)).await?, true)?;
    same("the secret again", replace(sealed(OLD, 1), sealed(NEW, 5)).await?, false)?;
    let stored = |secret: SealedSecret| Some(secret.as_bytes().to_vec());
    same("my secret", secret_of(&handle, &Who::Main.account()?).await?, stored(sealed(NEW, 4)))?;
    same("the other secret", secret_of(&handle, &Who::Other.account()?).await?, stored(sealed(OLD, 2)))?;
    let nobody = SecretOwner::Totp(AccountId::parse("F404")?);
    same(
        "the secret of an unknown account",
        handle.secrets.replace_secret(&nobody, &sealed(OLD, 1), sealed(NEW, 1)).await?,
        false,
    )
}

async fn page_secret(handle: Handle) -> CheckResult {
    let mut all: Vec<Work<_>> = Vec::new();
    for number in 1..=8 {
        let secrets = Arc::clone(&handle.secrets);
        all.push(Box::pin(async move { secrets.page_secret(sealed(OLD, number)).await }));
    }
    let given = race(all).await?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let first = handle.secrets.page_secret(sealed(OLD, 9)).await?;
    same("the secrets that concurrent calls returned", given, vec![first.clone(); 8])?;
    let pages = SecretOwner::Pages;
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 9).await?;
    same("what a rotation finds", found, vec![StoredSecret { owner: pages.clone(), secret: first.clone() }])?;
    same("secrets that are not under its key", handle.secrets.secrets(SecretFilter::NotUnder(OLD), 9).await?, vec![])?;
    let replace = async |old| Ok::<_, Failure>(handle.secrets.replace_secret(&pages, &old, sealed(NEW, 10)).await?);
    same("another secret", replace(sealed(OLD, 9)).await?, false)?;
    same("the secret", replace(first).await?, true)?;
    same("the secret afterwards", handle.secrets.page_secret(sealed(OLD, 11)).await?, sealed(NEW, 10))
}

async fn present_secret(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    let with_attempts =
        TotpEnrolment { used_steps: vec![7], unforgiven: 3, ..TotpEnrolment::new(mine.clone(), sealed(OLD, 1)) };
    handle.registry.enrol(with_attempts.clone()).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    enrol(&handle, &mine, sealed(NEW, 2)).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let restored = expect_some("the enrolment", handle.mfa.enrolment(&mine).await?)?;
    same("its secret", restored.secret.as_bytes(), sealed(NEW, 2).as_bytes())?;
    same("its attempts", restored, TotpEnrolment { secret: sealed(NEW, 2), ..with_attempts })
}

async fn removed_secret(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    enrol(&handle, &mine, sealed(OLD, 1)).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    handle.registry.remove_enrolment(&mine).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    same("the enrolment", handle.mfa.enrolment(&mine).await?, None)
}

async fn sealed_again(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    enrol(&handle, &Who::Main.account()?, sealed(OLD, 1)).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let (from, to) = (owner(Who::Main)?, SecretOwner::Totp(AccountId::parse("W1")?));
    let reseal = move |source: &SecretOwner, target: &SecretOwner, secret: &SealedSecret| {
        Ok(if (source, target) == (&from, &to) && *secret == sealed(OLD, 1) { sealed(NEW, 2) } else { sealed(NEW, 99) })
    };
    handle.worlds.create(CreateWorldCommand { reseal: Arc::new(reseal), ..copy("W1", 102, None)? }).await?;
    let copied = secret_of(&handle, &AccountId::parse("W1")?).await?;
    same("the secret of the copy", copied, Some(sealed(NEW, 2).as_bytes().to_vec()))?;
    let mine = secret_of(&handle, &Who::Main.account()?).await?;
    same("the secret of the original", mine, Some(sealed(OLD, 1).as_bytes().to_vec()))
}
