//! Checks of people: creation, change, lookup, lists and erasure.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same, store_failed};
use crate::factory::Handle;
use crate::management::create_budget_of_person;
use crate::observe::{Observation, books_are_right};
use crate::payments::after;
use crate::people::{create_person, edit_person, members, person_id, persona_id};
use crate::seed_data::{Who, account, day, gbp, parent_of, seed_store, uuid};
use crate::worlds::{command, seed_all_but_my_account, snapshot};
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::budget::CreateBudgetRefusal;
use florin_domain::ids::{AccountId, PersonaId};
use florin_domain::page::PageRequest;
use florin_domain::people::{
    CreatePersonRefusal, CreatePersonSituation, EditPersonRefusal, EmailAddress, Person, PersonEdit, PersonFilter,
    PersonOverview, PersonStatus, Role, erase_person,
};
use florin_domain::text::Text;
use florin_ports::{CreatePersonCommand, EditPersonCommand, ErasePersonCommand, IdempotencyClaim, StoreError};
use std::fmt::Debug;
use std::sync::Arc;

checks! {
    "people.create.stores_the_whole_decision" => stores_the_whole_decision,
    "people.create.is_shown_how_many_there_are_and_who_has_the_address" =>
        create_is_shown_how_many_there_are_and_who_has_the_address,
    "people.create.knows_people_of_the_clients_other_accounts" => knows_people_of_the_clients_other_accounts,
    "people.create.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "people.create.refusal_or_failure_changes_nothing" => refusal_or_failure_changes_nothing,
    "people.edit.changes_what_is_given" => changes_what_is_given,
    "people.edit.replay_gives_the_stored_answer" => edit_replay_gives_the_stored_answer,
    "people.edit.refusal_changes_nothing" => refusal_changes_nothing,
    "people.list.in_order_of_creation_with_filters_and_counts" => list_in_order_of_creation_with_filters_and_counts,
    "people.list.counts_follow_creations_changes_and_erasures" => counts_follow_creations_changes_and_erasures,
    "people.erase.on_every_account_with_the_records_of_the_person" =>
        erase_on_every_account_with_the_records_of_the_person,
    "people.erase.deletes_snapshots_with_the_person" (Sandbox) => erased_from_snapshots,
    "people.create.people_of_worlds_are_separate" (Sandbox) => people_of_worlds_are_separate,
    "budgets.create.is_shown_the_person_and_their_budget" => create_is_shown_the_person_and_their_budget,
    "tenancy.people.show_one_account_only" => people_show_one_account_only,
}

async fn find(handle: &Handle, account: &AccountId, number: u128) -> Result<PersonOverview, Failure> {
    expect_some("the person", handle.people.find(account, person_id(number)).await?)
}

/// Opens another account of my client.
pub(super) async fn second_account(handle: &Handle) -> Result<AccountId, Failure> {
    let fresh = Account { id: AccountId::parse("F9")?, ..account(Who::Main)? };
    handle.registry.add_account(fresh.clone(), parent_of(&fresh)?).await?;
    Ok(fresh.id)
}

/// Builds a command that creates person `number` on one of my client's accounts.
pub(super) fn create_person_on(account: &AccountId, number: u128, email: &str) -> Result<CreatePersonCommand, Failure> {
    let command = create_person(Who::Main, number, email)?;
    let (rule, own) = (command.decide, account.clone());
    let decide =
        Arc::new(move |situation: &CreatePersonSituation| Ok(Person { account: own.clone(), ..rule(situation)? }));
    Ok(CreatePersonCommand { account: account.clone(), decide, ..command })
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = expect_new(handle.people.create(create_person(Who::Main, 1, "Łucja@Example.com")?).await)?;
    let found = find(&handle, &Who::Main.account()?, 1).await?;
    same("what is found", members(&found), members(&made))?;
    let person = found.person;
    same("its ids", (person.id, person.persona), (person_id(1), persona_id(1)))?;
    same("its names", (person.first_name.as_str(), person.last_name.as_str()), ("Łucja ", " 1 ✓"))?;
    let email = person.email.as_ref().map(EmailAddress::as_str);
    same("its address and day", (email, person.born), (Some("Łucja@Example.com"), Some(day(2000, 2, 29))))?;
    same("its role and status", (person.role, person.status), (Role::Accountant, PersonStatus::Inactive))?;
    same("whether it has a card", found.has_card, false)
}

async fn create_is_shown_how_many_there_are_and_who_has_the_address(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, email, people, email_taken) in
        [(1, "a@example.com", 1, false), (2, "A@EXAMPLE.com", 2, true), (3, "zoë@example.com", 2, false)]
    {
        let mut command = create_person(Who::Main, number, email)?;
        let rule = command.decide;
        // An address that is taken on this account also counts as known on an account of the client.
        let known = email_taken.then_some(person_id(1));
        let expected = CreatePersonSituation { people, email_taken, known };
        command.decide = Arc::new(move |situation: &CreatePersonSituation| {
            if *situation == expected { rule(situation) } else { Err(CreatePersonRefusal::TooMany { max: 0 }) }
        });
        let done = handle.people.create(command).await;
        if email_taken {
            same("an address in use", refused(done)?, CreatePersonRefusal::EmailTaken)?;
        } else {
            expect_new(done)?;
        }
    }
    Ok(())
}

async fn knows_people_of_the_clients_other_accounts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let second = second_account(&handle).await?;
    expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?;
    let created = expect_new(handle.people.create(create_person_on(&second, 2, "ADA@example.com")?).await)?.person;
    same("a known person", (created.id, created.persona), (person_id(1), persona_id(2)))?;
    let first = find(&handle, &Who::Main.account()?, 1).await?.person;
    same("the first record", (first.persona, first.last_name.as_str()), (persona_id(1), " 1 ✓"))?;
    let other = expect_new(handle.people.create(create_person(Who::Other, 3, "ada@example.com")?).await)?.person;
    same("the same address of another client", other.id, person_id(3))?;
    let edit = PersonEdit { first_name: Some(Text::parse("Else")?), ..PersonEdit::default() };
    expect_new(handle.people.edit(edit_person(Who::Main, person_id(1), edit, after(1))?).await)?;
    same("the second record", find(&handle, &second, 1).await?.person.first_name.as_str(), "Łucja ")
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let with_key = |number, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, Failure>(CreatePersonCommand {
            claim,
            ..create_person(Who::Main, number, &format!("{number}@example.com"))?
        })
    };
    let made = expect_new(handle.people.create(with_key(1, "{}")?).await)?;
    let answer = replayed(handle.people.create(with_key(2, "{}")?).await)?;
    same("the answer", answer.body, format!("{made:?}"))?;
    same("the person of the repeated request", handle.people.find(&Who::Main.account()?, person_id(2)).await?, None)?;
    same("the first request", mismatch(handle.people.create(with_key(3, "[]")?).await)?, request("{}"))
}

async fn refusal_or_failure_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = create_person(Who::Main, 1, "a@example.com")?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    command.decide = Arc::new(|_: &CreatePersonSituation| Err(CreatePersonRefusal::EmailTaken));
    refused(handle.people.create(command).await)?;
    let mut command = create_person(Who::Main, 1, "a@example.com")?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    let rule = Arc::clone(&command.decide);
    command.decide =
        Arc::new(move |situation: &CreatePersonSituation| Ok(Person { id: Who::Main.person(), ..rule(situation)? }));
    let failed = store_failed(handle.people.create(command).await)?;
    same("a taken id", matches!(failed, StoreError::Duplicate(_)), true)?;
    before.still_holds("a creation that failed", &handle).await?;
    let mut command = create_person(Who::Main, 1, "a@example.com")?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    expect_new(handle.people.create(command).await)?;
    let command = create_person_on(&AccountId::parse("F99")?, 2, "b@example.com")?;
    absent("an account that does not exist", &handle.people.create(command).await)
}

async fn changes_what_is_given(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let edit = PersonEdit {
        first_name: Some(Text::parse("Ève ")?),
        last_name: Some(Text::parse("O'Neil")?),
        born: Some(None),
        role: Some(Role::Viewer),
        status: Some(PersonStatus::Inactive),
    };
    let (mine, id) = (Who::Main.account()?, Who::Main.person());
    let before = expect_some("the person", handle.people.find(&mine, id).await?)?.person;
    let done = expect_new(handle.people.edit(edit_person(Who::Main, id, edit, after(5))?).await)?;
    let found = expect_some("the person", handle.people.find(&mine, id).await?)?;
    same("what is found", members(&found), members(&done))?;
    let expected = Person {
        first_name: "Ève ".into(),
        last_name: "O'Neil".into(),
        born: None,
        role: Role::Viewer,
        status: PersonStatus::Inactive,
        updated_at: after(5),
        ..before
    };
    let expected = PersonOverview { person: expected, has_card: false };
    same("the person", members(&found), members(&expected))
}

async fn edit_replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let with_key = |role, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        let edit = PersonEdit { role: Some(role), ..PersonEdit::default() };
        let command = edit_person(Who::Main, Who::Main.person(), edit, after(9))?;
        Ok::<_, Failure>(EditPersonCommand { claim, ..command })
    };
    let edited = expect_new(handle.people.edit(with_key(Role::Payer, "{}")?).await)?;
    let answer = replayed(handle.people.edit(with_key(Role::User, "{}")?).await)?;
    same("the answer", answer.body, format!("{edited:?}"))?;
    same("the first request", mismatch(handle.people.edit(with_key(Role::User, "[]")?).await)?, request("{}"))?;
    let found = handle.people.find(&Who::Main.account()?, Who::Main.person()).await?;
    same("the role", expect_some("the person", found)?.person.role, Role::Payer)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let edit = PersonEdit { role: Some(Role::User), ..PersonEdit::default() };
    let mut command = edit_person(Who::Main, Who::Main.person(), edit.clone(), after(9))?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    command.decide = Arc::new(|_: &Person| Err(EditPersonRefusal::Erased));
    refused(handle.people.edit(command).await)?;
    for (what, person) in [("no such person", person_id(9)), ("a foreign person", Who::Other.person())] {
        absent(what, &handle.people.edit(edit_person(Who::Main, person, edit.clone(), after(9))?).await)?;
    }
    before.still_holds("refused changes", &handle).await
}

async fn list_in_order_of_creation_with_filters_and_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for (number, seconds) in [(3, 1), (1, 2), (2, 1)] {
        let mut command = create_person(Who::Main, number, &format!("P{number}@example.com"))?;
        let decide = command.decide;
        command.decide = Arc::new(move |situation: &CreatePersonSituation| {
            let role = if number == 2 { Role::Payer } else { Role::User };
            Ok(Person { created_at: after(seconds), role, ..decide(situation)? })
        });
        expect_new(handle.people.create(command).await)?;
    }
    let list = async |filter: PersonFilter, limit, offset| {
        let page = handle.people.list(&mine, filter, PageRequest { limit, offset }).await?;
        Ok::<_, Failure>((page.count, page.rows.into_iter().map(|row| row.person.id).collect::<Vec<_>>()))
    };
    let all = vec![Who::Main.person(), person_id(2), person_id(3), person_id(1)];
    same("all", list(PersonFilter::default(), 9, 0).await?, (4, all.clone()))?;
    same("a page", list(PersonFilter::default(), 2, 1).await?, (4, all[1..3].to_vec()))?;
    same("past the end", list(PersonFilter::default(), 1, 4).await?, (4, vec![]))?;
    let email = Some(EmailAddress::parse("p1@EXAMPLE.com")?);
    let by_email = PersonFilter { email, ..PersonFilter::default() };
    same("people with an address", list(by_email, 9, 0).await?, (1, vec![person_id(1)]))?;
    let users = PersonFilter { role: Some(Role::User), ..PersonFilter::default() };
    same("people with a role", list(users.clone(), 1, 1).await?, (2, vec![person_id(1)]))?;
    let ids = vec![person_id(1), person_id(2), Who::Other.person()];
    let named = PersonFilter { ids: ids.clone(), ..PersonFilter::default() };
    same("people with one of these ids", list(named, 9, 0).await?, (2, vec![person_id(2), person_id(1)]))?;
    same(
        "people with one of these ids and a role",
        list(PersonFilter { ids, ..users }, 9, 0).await?,
        (1, vec![person_id(1)]),
    )
}

/// Returns how many people the lists of an account count: all people, and then those with each of these roles.
async fn counts<const N: usize>(handle: &Handle, account: &AccountId, roles: [Role; N]) -> Result<Vec<i64>, Failure> {
    let mut counts = Vec::new();
    for role in [None].into_iter().chain(roles.map(Some)) {
        let filter = PersonFilter { role, ..PersonFilter::default() };
        counts.push(handle.people.list(account, filter, PageRequest { limit: 1, offset: 0 }).await?.count);
    }
    Ok(counts)
}

async fn counts_follow_creations_changes_and_erasures(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, second) = (Who::Main.account()?, second_account(&handle).await?);
    let roles = [Role::Owner, Role::Accountant, Role::Viewer];
    for number in [1, 2] {
        expect_new(handle.people.create(create_person(Who::Main, number, &format!("{number}@example.com"))?).await)?;
    }
    expect_new(handle.people.create(create_person_on(&second, 3, "1@example.com")?).await)?;
    let mut taken = create_person(Who::Main, 4, "4@example.com")?;
    let rule = Arc::clone(&taken.decide);
    taken.decide =
        Arc::new(move |situation: &CreatePersonSituation| Ok(Person { id: Who::Main.person(), ..rule(situation)? }));
    store_failed(handle.people.create(taken).await)?;
    same("after creations", counts(&handle, &mine, roles).await?, vec![3, 1, 2, 0])?;
    same("on the second account", counts(&handle, &second, roles).await?, vec![1, 0, 1, 0])?;
    for role in [Role::Viewer, Role::Viewer, Role::Owner, Role::Viewer] {
        let edit = PersonEdit { role: Some(role), ..PersonEdit::default() };
        expect_new(handle.people.edit(edit_person(Who::Main, person_id(1), edit, after(5))?).await)?;
    }
    same("after changes of a role", counts(&handle, &mine, roles).await?, vec![3, 1, 1, 1])?;
    same("on the second account after changes of a role", counts(&handle, &second, roles).await?, vec![1, 0, 1, 0])?;
    handle.people.erase(erasure(1, after(7))).await?;
    same("after an erasure", counts(&handle, &mine, roles).await?, vec![3, 1, 1, 1])?;
    same("on the second account after an erasure", counts(&handle, &second, roles).await?, vec![1, 0, 1, 0])?;
    books_are_right(&handle).await
}

/// Returns the claim of a request to the path of people, in which one character is percent-encoded.
fn claim_on_people<T: Debug + 'static>(key: &str) -> Result<IdempotencyClaim<T>, Failure> {
    let mut claim = claim(Who::Main, key, "{}")?;
    "/v2/%70eople".clone_into(&mut Arc::make_mut(&mut claim.request).path);
    Ok(claim)
}

fn erasure(number: u128, at: DateTime<Utc>) -> ErasePersonCommand {
    ErasePersonCommand {
        person: person_id(number),
        erase: Arc::new(move |person| erase_person(person, at)),
        terminate: Arc::new(|_| None),
    }
}

async fn erase_on_every_account_with_the_records_of_the_person(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, second) = (Who::Main.account()?, second_account(&handle).await?);
    for (number, key) in [(1, "one"), (2, "two")] {
        let claim = Some(claim_on_people(key)?);
        let command = create_person(Who::Main, number, &format!("{number}@example.com"))?;
        expect_new(handle.people.create(CreatePersonCommand { claim, ..command }).await)?;
    }
    expect_new(handle.people.create(create_person_on(&second, 3, "1@example.com")?).await)?;
    let at = after(7);
    let accounts = handle.people.erase(erasure(1, at)).await?;
    same("the accounts", accounts, vec![mine.clone(), second.clone()])?;
    for account in [&mine, &second] {
        let found = find(&handle, account, 1).await?.person;
        let data = (found.first_name.as_str(), found.last_name.as_str(), &found.email, found.born);
        same("what is left", data, ("Erased", "Erased", &None, None))?;
        same("the time of the erasure", (found.status, found.updated_at), (PersonStatus::Inactive, at))?;
    }
    same("another person", find(&handle, &mine, 2).await?.person.last_name.as_str(), " 2 ✓")?;
    // The address is free again. The recorded answer of the erased person is deleted; that of the other person is kept.
    for (number, key, is_new) in [(4, "one", true), (5, "two", false)] {
        let command = create_person(Who::Main, number, "1@example.com")?;
        let claim = Some(claim_on_people(key)?);
        let done = handle.people.create(CreatePersonCommand { claim, ..command }).await;
        if is_new {
            same("the new person", expect_new(done)?.person.id, person_id(4))?;
        } else {
            replayed(done)?;
        }
    }
    let nobody = handle.people.erase(erasure(77, at)).await?;
    same("an unknown person", nobody, vec![])
}

async fn erased_from_snapshots(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(2)?).await)?;
    let at = after(7);
    handle.people.erase(erasure(1, at)).await?;
    let left = handle.worlds.snapshots(&Who::Main.account()?, PageRequest::default()).await?;
    let ids: Vec<_> = left.rows.into_iter().map(|snapshot| snapshot.id).collect();
    same("the snapshots that are left", ids, vec![crate::worlds::id(1)])
}

async fn people_of_worlds_are_separate(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let second = second_account(&handle).await?;
    expect_new(handle.people.create(create_person_on(&second, 1, "ada@example.com")?).await)?;
    let of_world = expect_new(handle.people.create(create_person(Who::Main, 2, "ada@example.com")?).await)?.person;
    same("a person of a world", of_world.id, person_id(2))?;
    expect_new(handle.people.create(create_person(Who::Main, 3, "bob@example.com")?).await)?;
    let outside = expect_new(handle.people.create(create_person_on(&second, 4, "bob@example.com")?).await)?.person;
    same("a person outside", outside.id, person_id(4))
}

async fn create_is_shown_the_person_and_their_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?;
    let budget =
        expect_new(handle.budgets.create(create_budget_of_person(Who::Main, 1, persona_id(1), vec![gbp()?])?).await)?;
    same("the person of the budget", budget.persona, Some(persona_id(1)))?;
    for (what, persona, refusal) in [
        ("a second budget", persona_id(1), CreateBudgetRefusal::SecondOfPerson),
        ("an unknown person", persona_id(9), CreateBudgetRefusal::NoPersona),
        ("a foreign person", PersonaId(uuid(94, 2)), CreateBudgetRefusal::NoPersona),
    ] {
        let command = create_budget_of_person(Who::Main, 2, persona, vec![gbp()?])?;
        same(what, refused(handle.budgets.create(command).await)?, refusal)?;
    }
    let own = create_budget_of_person(Who::Main, 2, PersonaId(uuid(94, 1)), vec![gbp()?])?;
    expect_new(handle.budgets.create(own).await).map(drop)
}

async fn people_show_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    same("a foreign person", handle.people.find(&mine, Who::Other.person()).await?, None)?;
    let page = handle.people.list(&mine, PersonFilter::default(), PageRequest::default()).await?;
    let ids: Vec<_> = page.rows.iter().map(|row| row.person.id).collect();
    same("the people of one account", (page.count, ids), (1, vec![Who::Main.person()]))
}
