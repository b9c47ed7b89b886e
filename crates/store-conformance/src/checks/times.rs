//! Checks that times keep their microseconds, in the distant past and future.

use crate::check::{CheckResult, checks};
use crate::commands::{SANDBOX, first, message, session_id, stamp_at, token};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::transfer;
use crate::observe::{batch, card, chain};
use crate::seed_data::{Who, day, enrolment, key, seed_data, seed_store, uuid};
use chrono::{DateTime, Utc};
use florin_domain::access::{ApiKey, KeyHash};
use florin_domain::activity::ActivityKey;
use florin_domain::batch::{BatchState, Confirmation};
use florin_domain::budget::TransferSituation;
use florin_domain::card::CardLimit;
use florin_domain::card::decide::FirstKind;
use florin_domain::ids::{ActivityId, ApiKeyId, CardId};
use florin_domain::merchant::CheckoutFilter;
use florin_domain::mfa::{OpenRequest, TotpEnrolment, decide_open};
use florin_domain::page::PageRequest;
use florin_ports::{OpenMfaSessionCommand, SeedCard};
use std::sync::Arc;

checks! {
    "times.of_keys" => times_of_keys,
    "times.of_what_is_seeded" => seeded_times,
    "times.of_messages" => times_of_messages,
    "times.of_sessions" => times_of_sessions,
    "times.of_transfers" => times_of_transfers,
    "times.dates_of_cards_and_windows" => dates_of_cards_and_windows,
}

/// Microseconds since 1970, from the year 1900 to 9999.
const TIMES: [i64; 9] = [
    -2_208_988_800_000_000,
    -2_208_988_799_999_999,
    -1,
    0,
    1,
    1_788_264_000_123_456,
    1_788_264_000_999_999,
    4_102_444_800_000_001,
    253_402_300_799_999_999,
];

fn times() -> impl Iterator<Item = DateTime<Utc>> {
    TIMES.into_iter().filter_map(DateTime::from_timestamp_micros)
}

async fn times_of_keys(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, at) in (30..).zip(times()) {
        let id = ApiKeyId(uuid(4, number));
        let hash = KeyHash([u8::try_from(number).unwrap_or(0); 32]);
        let mut expected = ApiKey { id, created_at: at, expires_at: Some(at), ..key(Who::Main)? };
        handle.registry.add_key(expected.clone(), hash).await?;
        handle.registry.revoke_key(id, at).await?;
        expected.revoked_at = Some(at);
        same("the key", expect_some("the key", handle.callers.find(&hash).await?)?.key, expected.into())?;
    }
    Ok(())
}

async fn seeded_times(handle: Handle) -> CheckResult {
    let mut data = seed_data(1)?;
    let base = data.accounts[0].clone();
    let seed = &mut data.accounts[0];
    seed.checkouts.clear();
    for (number, at) in (0..).zip(times()) {
        let mut one = base.checkouts[0].clone();
        one.id.0 = uuid(8, 50 + number);
        (one.created_at, one.updated_at) = (at, at);
        seed.checkouts.push(one);
        let mut one = base.batches[0].clone();
        one.id.0 = uuid(21, 50 + number);
        one.state = BatchState::Confirmed(Confirmation { by: None, at, passed_mfa_check_at: Some(at) });
        (one.created_at, one.updated_at) = (at, at);
        seed.batches.push(one);
    }
    let all: Vec<_> = times().collect();
    seed.enrolment = Some(TotpEnrolment { wrong_at: all, locked_until: times().last(), ..enrolment(Who::Main)? });
    let expected = seed.clone();
    handle.seeding.seed(data).await?;
    let id = Who::Main.account()?;
    same("the batches", handle.seeding.batches(&id).await?, expected.batches)?;
    same("the enrolment", handle.mfa.enrolment(&id).await?, expected.enrolment)?;
    let page = handle.checkouts.list(&id, CheckoutFilter::default(), PageRequest::default()).await?;
    same("the checkouts", page.rows, expected.checkouts.into_iter().rev().collect::<Vec<_>>())
}

async fn times_of_messages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Messages after the card's expiry date are declined. They are stored, too.
    for (number, at) in (1..).zip(times()) {
        let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1")?, stamp_at(number, at))?;
        let done = expect_new(handle.cards.first_message(command).await)?;
        let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(number)).await?)?;
        same("the time of the message", (seen.first.created_at, done.created_at), (at, at))?;
        if let Some(chain) = seen.chain {
            same("the time of the chain", chain.created_at, at)?;
        }
    }
    Ok(())
}

async fn times_of_sessions(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let account = Who::Main.account()?;
    for (number, now) in (1..).zip(times()) {
        let request = OpenRequest { id: session_id(number), client: Who::Main.client(), provider: SANDBOX, now };
        let decide = Arc::new(move |situation: &_| decide_open(situation, &request));
        let command = OpenMfaSessionCommand { account: account.clone(), batch: Who::Main.batch(), decide, claim: None };
        let done = expect_new(handle.mfa.open(command).await)?;
        let seen =
            expect_some("the batch", batch(&handle, &account, Who::Main.batch(), Some(session_id(number))).await?)?;
        same("the session", seen.session, Some(done))?;
    }
    Ok(())
}

async fn times_of_transfers(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, ends) = (Who::Main.account()?, (Who::Main.budget(), Who::Main.second_budget()));
    for (number, at) in (1..).zip(times()) {
        let mut command = transfer(Who::Main, number, ends, "0.01")?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &TransferSituation| {
            let mut decision = rule(situation)?;
            decision.done.transfer.created_at = at;
            Ok(decision)
        });
        let done = expect_new(handle.transfers.transfer(command).await)?.transfer;
        let found = expect_some(
            "the transfer",
            handle.activities.find(&mine, ActivityKey::BudgetMovement(ActivityId(done.id.0))).await?,
        )?;
        same("when money was moved", (found.created_at, done.created_at), (at, at))?;
    }
    Ok(())
}

async fn dates_of_cards_and_windows(handle: Handle) -> CheckResult {
    let mut data = seed_data(1)?;
    let dates = [day(1900, 1, 1), day(1969, 12, 31), day(1970, 1, 1), day(2024, 2, 29), day(9999, 12, 31)];
    let mut expected = Vec::new();
    for (number, date) in (0..).zip(dates) {
        let mut seed: SeedCard = data.accounts[0].cards[1].clone();
        seed.card.id = CardId(uuid(15, number));
        seed.card.expires_on = date;
        seed.limits = seed.limits.into_iter().map(|limit| CardLimit { window_start: date, ..limit }).collect();
        expected.push(seed);
    }
    data.accounts[0].cards.clone_from(&expected);
    handle.seeding.seed(data).await?;
    for seed in expected {
        let seen = expect_some("the card", card(&handle, &Who::Main.account()?, seed.card.id).await?)?;
        same("the card", (seen.card, seen.limits), (seed.card, seed.limits))?;
    }
    Ok(())
}
