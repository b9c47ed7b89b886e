//! Checks of two handles on the same data, like two instances of a program: each waits for the locks of the other.

use super::contention::second;
use super::networks::rule_that_adds;
use super::people::{create_person_on, second_account};
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{SANDBOX, confirm, open};
use crate::expect::{duplicate, expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::management::{
    budget_id, card_id, change_state, create_budget, create_named_budget, edit_budget, issue, limit,
};
use crate::observe::books_are_right;
use crate::seed_data::{Who, bank, enrolment, gbp, key, noon, seed_store, uuid};
use crate::together::{Work, race};
use crate::worlds::{command as my_world, empty, seed_all_but_my_account};
use chrono::TimeDelta;
use florin_domain::access::{ApiKey, Feature, KeyHash};
use florin_domain::address::{Address, UkPostcode};
use florin_domain::budget::{BudgetEdit, CreateBudgetRefusal, CreateBudgetSituation};
use florin_domain::card::{CardLimits, CardState, CreateCardRefusal, CreateCardSituation, LimitWindow};
use florin_domain::ids::{ApiKeyId, LimitId, PersonId, SnapshotId};
use florin_domain::mfa::{MfaProviderName, MfaVerdict, TotpEnrolment};
use florin_domain::page::PageRequest;
use florin_domain::people::{CreatePersonRefusal, PersonOverview};
use florin_domain::secret::SealedSecret;
use florin_domain::text::Text;
use florin_domain::world::{
    ClockChange, ClockSetting, CreateWorldRefusal, CreationClaim, SnapshotRefusal, decide_create_world,
};
use florin_ports::{CreateWorldCommand, SnapshotCommand, WriteError, Written};
use std::collections::BTreeSet;
use std::sync::Arc;

checks! {
    "two_handles.budgets.create_sees_the_true_count" (Reopen) => create_sees_the_true_count,
    "two_handles.budgets.a_name_is_taken_once" (Reopen) => a_name_is_taken_once,
    "two_handles.card_management.create_sees_the_true_count" (Reopen) => card_management_create_sees_the_true_count,
    "two_handles.card_management.of_many_transitions_one_wins" (Reopen) => card_management_of_many_transitions_one_wins,
    "two_handles.card_management.limits_are_set_one_at_a_time" (Reopen) => limits_are_set_one_at_a_time,
    "two_handles.people.a_person_has_one_id" (Reopen) => a_person_has_one_id,
    "two_handles.networks.changes_add_up" (Reopen) => changes_add_up,
    "two_handles.timelines.numbers_are_given_once" (Sandbox, Reopen) => numbers_are_given_once,
    "two_handles.timelines.changes_of_a_clock_add_up" (Sandbox, Reopen) => changes_of_a_clock_add_up,
    "two_handles.batches.every_wrong_token_counts" (Reopen) => every_wrong_token_counts,
    "two_handles.registry.features_are_switched_one_at_a_time" (Reopen) => features_are_switched_one_at_a_time,
    "two_handles.registry.lists_are_replaced_whole" (Reopen) => lists_are_replaced_whole,
    "two_handles.registry.enrolments_are_replaced_one_at_a_time" (Reopen) => enrolments_are_replaced_one_at_a_time,
    "two_handles.registry.a_key_is_added_once" (Reopen) => a_key_is_added_once,
    "two_handles.worlds.create_sees_the_true_count" (Sandbox, Reopen) => worlds_create_sees_the_true_count,
    "two_handles.worlds.take_snapshot_sees_the_true_count" (Sandbox, Reopen) => take_snapshot_sees_the_true_count,
    "two_handles.worlds.one_is_created_under_a_key" (Sandbox, Reopen) => worlds_under_a_key,
    "two_handles.worlds.one_deletes" (Sandbox, Reopen) => one_deletes,
}

/// Number of racing commands.
pub(super) const RACERS: u8 = 16;

/// Runs work concurrently, alternating between both handles.
pub(super) async fn race_on_both<T: Send + 'static>(
    handle: &Handle,
    work: impl Fn(Handle, u8) -> Result<Work<T>, Failure>,
) -> Result<Vec<T>, Failure> {
    let other = second(handle).await?;
    let handles = [handle, &other];
    let racers = (0..RACERS).zip(handles.into_iter().cycle());
    race(racers.map(|(number, handle)| work(handle.clone(), number)).collect::<Result<_, _>>()?).await
}

async fn create_sees_the_true_count(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let created = race_on_both(&handle, |handle, number| {
        let mut command = create_budget(Who::Main, number.into(), None, vec![gbp()?])?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
            if situation.budgets < 6 { rule(situation) } else { Err(CreateBudgetRefusal::TooMany { max: 6 }) }
        });
        Ok(Box::pin(async move { handle.budgets.create(command).await.is_ok() }))
    });
    let created = created.await?.into_iter().filter(|created| *created).count();
    same("the number of created budgets, in addition to three seeded ones", created, 3)
}

async fn a_name_is_taken_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in 0..RACERS {
        expect_new(handle.budgets.create(create_budget(Who::Main, number.into(), None, vec![gbp()?])?).await)?;
    }
    handle.registry.set_unique_budget_names(&Who::Main.account()?, true).await?;
    let named = race_on_both(&handle, |handle, number| {
        let edit = BudgetEdit { name: Some(Text::parse("Trips")?), ..BudgetEdit::default() };
        let rename = edit_budget(Who::Main, budget_id(number.into()), edit, noon())?;
        let create = create_named_budget(Who::Main, u128::from(number) + 100, "Trips")?;
        Ok(Box::pin(async move {
            if number % 4 < 2 {
                handle.budgets.edit(rename).await.is_ok()
            } else {
                handle.budgets.create(create).await.is_ok()
            }
        }))
    });
    same("budgets that got the name", named.await?.into_iter().filter(|named| *named).count(), 1)
}

async fn card_management_create_sees_the_true_count(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let created = race_on_both(&handle, |handle, number| {
        // The cards are on two budgets, so locking the budget is not sufficient.
        let budget = if number % 4 < 2 { Who::Main.budget() } else { Who::Main.second_budget() };
        let mut command = issue(Who::Main, number.into(), budget, true)?;
        let rule = command.decide;
        command.decide =
            Arc::new(
                move |situation: &CreateCardSituation| {
                    if situation.cards < 7 { rule(situation) } else { Err(CreateCardRefusal::TooMany(10)) }
                },
            );
        Ok(Box::pin(async move { handle.card_management.create(command).await.is_ok() }))
    });
    let created = created.await?.into_iter().filter(|created| *created).count();
    same("the number of created cards, in addition to three seeded ones", created, 4)
}

async fn card_management_of_many_transitions_one_wins(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let moved = race_on_both(&handle, |handle, _| {
        let command = change_state(Who::Main, Who::Main.card(), CardState::Suspended, "now")?;
        Ok(Box::pin(async move { handle.card_management.change(command).await.is_ok() }))
    });
    same("the number of suspensions", moved.await?.into_iter().filter(|moved| *moved).count(), 1)?;
    let page = PageRequest::default();
    let transitions = handle.card_management.transitions(&Who::Main.account()?, Who::Main.card(), page).await?;
    same("its transitions", expect_some("the card", transitions)?.count, 1)
}

async fn limits_are_set_one_at_a_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.card_management.create(issue(Who::Main, 1, Who::Main.budget(), true)?).await)?;
    let set = race_on_both(&handle, |handle, number| {
        let amount = format!("{}", number + 1);
        let mut command = limit(Who::Main, card_id(1), (LimitWindow::Day, &amount, None), noon())?;
        let rule = command.decide;
        command.decide = Arc::new(move |limits: &CardLimits| {
            let mut set = rule(limits)?;
            set.limit.id = limits.limits.first().map_or(LimitId(uuid(88, number.into())), |limit| limit.id);
            Ok(set)
        });
        Ok(Box::pin(async move { handle.card_management.set_limit(command).await }))
    });
    let mut new = BTreeSet::new();
    for answer in set.await? {
        new.insert(expect_new(answer)?.limit.id);
    }
    same("new limits", new.len(), 1)?;
    let seen = handle.card_management.limits(&Who::Main.account()?, card_id(1)).await?;
    same("limits", expect_some("the card", seen)?.limits.len(), 1)
}

async fn a_person_has_one_id(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, second) = (Who::Main.account()?, second_account(&handle).await?);
    let created = race_on_both(&handle, |handle, number| {
        let command = create_person_on(if number % 4 < 2 { &mine } else { &second }, number.into(), "ada@example.com")?;
        Ok(Box::pin(async move { handle.people.create(command).await.ok() }))
    });
    let created = created.await?.into_iter().flatten().map(expect_new_person).collect::<Result<Vec<_>, _>>()?;
    same("created people", created.len(), 2)?;
    same("different people", created.into_iter().collect::<BTreeSet<_>>().len(), 1)
}

fn expect_new_person(done: Written<PersonOverview>) -> Result<PersonId, Failure> {
    expect_new(Ok::<_, WriteError<CreatePersonRefusal>>(done)).map(|overview| overview.person.id)
}

async fn changes_add_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let client = Who::Main.client();
    let changed = race_on_both(&handle, |handle, number| {
        let rule = rule_that_adds(number.into(), &format!("192.0.2.{number}/32"))?;
        Ok(Box::pin(async move { handle.networks.change_networks(client, rule).await.is_ok() }))
    });
    same("changes", changed.await?.into_iter().filter(|changed| *changed).count(), usize::from(RACERS))?;
    same("networks", handle.networks.networks(client).await?.len(), usize::from(RACERS) + 2)
}

async fn numbers_are_given_once(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    let given = race_on_both(&handle, |handle, _| {
        let mine = Who::Main.account()?;
        Ok(Box::pin(async move {
            let first = handle.timelines.next_number(&mine).await?;
            Ok::<_, Failure>([first, handle.timelines.next_number(&mine).await?])
        }))
    });
    let given = given.await?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let given: BTreeSet<_> = given.into_iter().flatten().collect();
    same("the numbers", given, (1..=u64::from(RACERS) * 2).collect::<BTreeSet<_>>())
}

async fn changes_of_a_clock_add_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let changed = race_on_both(&handle, |handle, _| {
        let day = ClockChange::AdvanceBy(TimeDelta::days(1));
        let command = super::timelines::change(Who::Main, day)?;
        Ok(Box::pin(async move {
            handle.timelines.set_clock(command).await.map(|_| ()).map_err(|error| format!("{error:?}"))
        }))
    });
    for answer in changed.await? {
        same("a change of the clock", answer, Ok(()))?;
    }
    let clock = expect_some("the account", handle.accounts.find(&Who::Main.account()?).await?)?.timeline.clock;
    same("the clock", clock, ClockSetting::Running { ahead: TimeDelta::days(RACERS.into()) })
}

async fn every_wrong_token_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for session in 0..RACERS {
        expect_new(handle.mfa.open(open(Who::Main, session.into(), MfaProviderName::Totp)?).await)?;
    }
    let refused = race_on_both(&handle, |handle, number| {
        let proof = (MfaProviderName::Totp, MfaVerdict::Wrong);
        let command = confirm(Who::Main, number.into(), 1, proof)?;
        Ok(Box::pin(async move { handle.batches.confirm(command).await.is_err() }))
    });
    same("whether all of them are refused", refused.await?.into_iter().all(|refused| refused), true)?;
    let enrolled = expect_some("the enrolment", handle.mfa.enrolment(&Who::Main.account()?).await?)?;
    same("wrong tokens", enrolled.wrong_at.len(), usize::from(RACERS))?;
    expect_new(handle.mfa.open(open(Who::Main, 99, SANDBOX)?).await)?;
    books_are_right(&handle).await
}

async fn features_are_switched_one_at_a_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let switched = race_on_both(&handle, |handle, number| {
        let on = number % 4 < 3;
        Ok(Box::pin(async move { handle.registry.set_feature(Who::Main.client(), Feature::AddressesLookup, on).await }))
    });
    for answer in switched.await? {
        same("a switch", answer, Ok(()))?;
    }
    Ok(())
}

async fn lists_are_replaced_whole(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let line = |number: u8, place: u8| Address {
        address_line1: format!("{place} of list {number}"),
        postcode: "SW1A1AA".into(),
        ..Address::default()
    };
    let replaced = race_on_both(&handle, |handle, number| {
        let banks = (0..9).map(|place| bank(place, &format!("bank {place} of list {number}")));
        let banks = banks.collect::<Result<Vec<_>, Failure>>()?;
        let addresses = (0..9).map(|place| line(number, place)).collect();
        Ok(Box::pin(async move {
            (handle.registry.replace_banks(banks).await, handle.registry.replace_addresses(addresses).await)
        }))
    });
    for answer in replaced.await? {
        same("a replacement", answer, (Ok(()), Ok(())))?;
    }
    let seen = handle.banks.list(PageRequest::default()).await?.rows;
    let lists: BTreeSet<_> = seen.iter().filter_map(|bank| bank.name.rsplit(' ').next()).collect();
    same("banks, and the lists that they are of", (seen.len(), lists.len()), (9, 1))?;
    let seen = handle.addresses.find(&UkPostcode::parse("SW1A1AA")?).await?;
    let lists: BTreeSet<_> = seen.iter().filter_map(|address| address.address_line1.rsplit(' ').next()).collect();
    same("addresses, and the lists that they are of", (seen.len(), lists.len()), (9, 1))
}

async fn enrolments_are_replaced_one_at_a_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let enrolled = race_on_both(&handle, |handle, number| {
        let secret = SealedSecret::new(vec![number; 20]);
        let enrolment = TotpEnrolment { secret, ..enrolment(Who::Main)? };
        Ok(Box::pin(async move { handle.registry.enrol(enrolment).await }))
    });
    for answer in enrolled.await? {
        same("an enrolment", answer, Ok(()))?;
    }
    expect_some("the enrolment", handle.mfa.enrolment(&Who::Main.account()?).await?)?;
    Ok(())
}

async fn a_key_is_added_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let added = race_on_both(&handle, |handle, number| {
        let key = ApiKey { id: ApiKeyId(uuid(4, 100)), ..key(Who::Main)? };
        Ok(Box::pin(async move { handle.registry.add_key(key, KeyHash([number + 100; 32])).await }))
    });
    let (added, others): (Vec<_>, Vec<_>) = added.await?.into_iter().partition(Result::is_ok);
    same("keys of one id that were added", added.len(), 1)?;
    others.iter().try_for_each(|answer| duplicate("a key of the same id", answer))
}

/// Builds a command that creates an empty world with this number.
fn world(number: u8) -> Result<CreateWorldCommand, Failure> {
    empty(&format!("W{number}"), 110 + number)
}

async fn worlds_create_sees_the_true_count(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let created = race_on_both(&handle, |handle, number| {
        let decide = Arc::new(
            |situation: &florin_domain::world::CreateSituation| {
                if situation.worlds < 5 { Ok(false) } else { Err(CreateWorldRefusal::TooMany) }
            },
        );
        let command = CreateWorldCommand { decide, ..world(number)? };
        Ok(Box::pin(async move { handle.worlds.create(command).await.is_ok() }))
    });
    same("the number of created worlds", created.await?.into_iter().filter(|created| *created).count(), 5)
}

async fn take_snapshot_sees_the_true_count(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    let taken = race_on_both(&handle, |handle, number| {
        let command = SnapshotCommand {
            decide: Arc::new(|situation| if situation.snapshots < 5 { Ok(()) } else { Err(SnapshotRefusal::TooMany) }),
            id: SnapshotId(uuid(91, number.into())),
            ..crate::worlds::snapshot(1)?
        };
        Ok(Box::pin(async move { handle.worlds.take_snapshot(command).await.is_ok() }))
    });
    same("the number of snapshots that were taken", taken.await?.into_iter().filter(|taken| *taken).count(), 5)
}

async fn worlds_under_a_key(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let created = race_on_both(&handle, |handle, number| {
        let claim = CreationClaim { key: "k".into(), request: "a".repeat(64) };
        let claimed = claim.clone();
        let decide = Arc::new(move |situation: &_| decide_create_world(situation, false, Some(&claimed)));
        let command = CreateWorldCommand { claim: Some(claim), decide, ..world(number)? };
        Ok(Box::pin(async move { handle.worlds.create(command).await }))
    });
    let mut created_now = 0;
    for answer in created.await? {
        match answer {
            Ok(_) => created_now += 1,
            Err(WriteError::Refused(CreateWorldRefusal::CreatedBefore(_))) => {}
            Err(other) => return Err(Failure::new(format!("neither created now nor before: {other:?}"))),
        }
    }
    same("the number of created worlds", created_now, 1)
}

async fn one_deletes(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    let mine = Who::Main.account()?;
    let deleted = race_on_both(&handle, |handle, _| {
        let mine = mine.clone();
        Ok(Box::pin(async move { handle.worlds.delete(&mine).await }))
    });
    let deleted = deleted.await?.into_iter().collect::<Result<Vec<_>, _>>()?;
    same("the number of deletions that succeeded", deleted.into_iter().filter(|deleted| *deleted).count(), 1)?;
    expect_true("the world is still there", handle.worlds.find(&mine).await?.is_none())
}
