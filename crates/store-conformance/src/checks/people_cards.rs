//! Checks of individual cards: their owners and budgets, and the erasure of owners.

use super::events::{stored, without_gaps};
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, first, message, stamp, token};
use crate::disputes::{act_on_dispute, dispute_id, evidence, open_dispute};
use crate::expect::{expect_new, expect_some, refused, replayed, same};
use crate::factory::Handle;
use crate::management::{card_id, change, change_state, find_card, issue, issue_to_person, replacement};
use crate::observe::{Observation, books_are_right};
use crate::payments::after;
use crate::people::{create_person, person_id};
use crate::seed_data::{Who, noon, seed_store};
use florin_domain::card::decide::FirstKind;
use florin_domain::card::{
    CardChangeRequest, CardFilter, CardProfile, CardState, ChangeCardRefusal, CreateCardRefusal, terminate_for_erasure,
};
use florin_domain::event::EventKind;
use florin_domain::ids::{BudgetId, CardId, PersonId};
use florin_domain::page::PageRequest;
use florin_domain::people::erase_person;
use florin_ports::{DisputeCommand, ErasePersonCommand};
use std::sync::Arc;

checks! {
    "card_management.create.individual_cards_name_a_person_and_budgets" => individual_cards_name_a_person_and_budgets,
    "card_management.create.is_shown_the_person_and_every_budget" => create_is_shown_the_person_and_every_budget,
    "card_management.change.individual_cards_change_hands" => individual_cards_change_hands,
    "card_management.replace.individual_cards_keep_owner_and_budgets" => individual_cards_keep_owner_and_budgets,
    "card_management.list.of_people_and_of_every_named_budget" => list_of_people_and_of_every_named_budget,
    "people.find.shows_who_has_a_card" => shows_who_has_a_card,
    "people.erase.terminates_the_cards_of_the_person" => terminates_the_cards_of_the_person,
    "people.erase.deletes_the_evidence_of_disputes" => evidence_deleted,
    "tenancy.people.own_no_foreign_cards" => people_own_no_foreign_cards,
}

/// The budgets of an individual card. Only the last one is active.
const BUDGETS: [(BudgetId, bool); 2] = [(Who::Main.budget(), false), (Who::Main.second_budget(), true)];

async fn create_person_with_card(handle: &Handle) -> Result<CardProfile, Failure> {
    seed_store(handle).await?;
    expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?;
    expect_new(handle.card_management.create(issue_to_person(Who::Main, 1, person_id(1), &BUDGETS)?).await)
}

async fn individual_cards_name_a_person_and_budgets(handle: Handle) -> CheckResult {
    let made = create_person_with_card(&handle).await?;
    let found = find_card(&handle, card_id(1)).await?;
    same("what is found", &found, &made)?;
    let personal = expect_some("the owner", found.record.person)?;
    same("the person", personal.person, person_id(1))?;
    let named: Vec<_> = personal.budgets.iter().map(|granted| (granted.budget, granted.active)).collect();
    same("the budgets", named, BUDGETS.to_vec())?;
    let shown: Vec<_> = found.budgets.iter().map(|budget| (budget.id, budget.active)).collect();
    same("what is shown", shown, BUDGETS.to_vec())?;
    same("the budget that pays", found.record.card.budget, Who::Main.second_budget())?;
    let command = first(Who::Main, card_id(1), message(FirstKind::Purchase, "1")?, stamp(1))?;
    let message = expect_new(handle.cards.first_message(command).await)?;
    same("what a message charges", message.budget, Who::Main.second_budget())?;
    books_are_right(&handle).await
}

async fn create_is_shown_the_person_and_every_budget(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let foreign = [(Who::Main.budget(), true), (Who::Other.budget(), false)];
    for (what, person, budgets, refusal) in [
        ("an unknown person", person_id(9), BUDGETS, CreateCardRefusal::NoPerson),
        ("a foreign person", Who::Other.person(), BUDGETS, CreateCardRefusal::NoPerson),
        ("a foreign budget", person_id(1), foreign, CreateCardRefusal::NoBudget("body.budgets[1].budgetId".into())),
    ] {
        let command = issue_to_person(Who::Main, 2, person, &budgets)?;
        same(what, refused(handle.card_management.create(command).await)?, refusal)?;
    }
    before.still_holds("refused cards", &handle).await
}

fn given_to(person: PersonId) -> CardChangeRequest {
    CardChangeRequest { person: Some(person), ..CardChangeRequest::nothing(Who::Main.client(), noon()) }
}

async fn individual_cards_change_hands(handle: Handle) -> CheckResult {
    let made = create_person_with_card(&handle).await?;
    let command = change(Who::Main, card_id(1), given_to(Who::Main.person()))?;
    let changed = expect_new(handle.card_management.change(command).await)?;
    let personal = expect_some("the owner", find_card(&handle, card_id(1)).await?.record.person)?;
    same("the owner", personal.person, Who::Main.person())?;
    same("the budgets", changed.budgets, made.budgets)?;
    for person in [person_id(9), Who::Other.person()] {
        let command = change(Who::Main, card_id(1), given_to(person))?;
        let refusal = refused(handle.card_management.change(command).await)?;
        same("an unknown person", refusal, ChangeCardRefusal::NoPerson)?;
    }
    let personal = expect_some("the owner", find_card(&handle, card_id(1)).await?.record.person)?;
    same("the owner after refusals", personal.person, Who::Main.person())
}

async fn individual_cards_keep_owner_and_budgets(handle: Handle) -> CheckResult {
    let made = create_person_with_card(&handle).await?;
    let new = expect_new(handle.card_management.replace(replacement(Who::Main, card_id(1), 2)?).await)?;
    same("the owner", &new.record.person, &made.record.person)?;
    same("the budgets", &new.budgets, &made.budgets)?;
    same("what is found", find_card(&handle, card_id(2)).await?, new)
}

async fn list_of_people_and_of_every_named_budget(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    expect_new(handle.card_management.create(issue(Who::Main, 2, Who::Main.budget(), true)?).await)?;
    let mine = Who::Main.account()?;
    let list = async |filter: CardFilter| {
        let page = handle.card_management.list(&mine, filter, PageRequest::default()).await?;
        Ok::<_, Failure>(page.rows.into_iter().map(|row| row.record.card.id).collect::<Vec<_>>())
    };
    let of = |people: Vec<PersonId>| CardFilter { people: Some(people), ..CardFilter::default() };
    same("cards of the person", list(of(vec![person_id(9), person_id(1)])).await?, vec![card_id(1)])?;
    same("cards of another person", list(of(vec![Who::Main.person()])).await?, vec![])?;
    same("cards of nobody", list(of(vec![])).await?, vec![])?;
    let named = CardFilter { budget: Some(Who::Main.budget()), ..CardFilter::default() };
    let found = list(named).await?;
    same("cards that name a budget", found.contains(&card_id(1)) && found.contains(&card_id(2)), true)
}

async fn has_card(handle: &Handle, person: PersonId) -> Result<bool, Failure> {
    Ok(expect_some("the person", handle.people.find(&Who::Main.account()?, person).await?)?.has_card)
}

async fn shows_who_has_a_card(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    same("the owner", has_card(&handle, person_id(1)).await?, true)?;
    same("another person", has_card(&handle, Who::Main.person()).await?, false)?;
    let ended = change_state(Who::Main, card_id(1), CardState::Terminated, "lost")?;
    expect_new(handle.card_management.change(ended).await)?;
    same("the owner of a terminated card", has_card(&handle, person_id(1)).await?, false)
}

async fn terminates_the_cards_of_the_person(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    for (number, person) in [(2, person_id(1)), (3, Who::Main.person())] {
        expect_new(handle.card_management.create(issue_to_person(Who::Main, number, person, &BUDGETS)?).await)?;
    }
    let ended = change_state(Who::Main, card_id(2), CardState::Terminated, "lost")?;
    expect_new(handle.card_management.change(ended).await)?;
    let at = after(7);
    let command = ErasePersonCommand {
        person: person_id(1),
        erase: Arc::new(move |person| erase_person(person, at)),
        terminate: Arc::new(move |situation| terminate_for_erasure(situation, at)),
    };
    handle.people.erase(command).await?;
    for (number, state) in [(1, CardState::Terminated), (2, CardState::Terminated), (3, CardState::Active)] {
        same("a card", find_card(&handle, card_id(number)).await?.record.card.state, state)?;
    }
    let transitions =
        handle.card_management.transitions(&Who::Main.account()?, card_id(1), PageRequest::default()).await?;
    let last = expect_some("a transition", expect_some("the card", transitions)?.rows.into_iter().next())?;
    same("the transition", (last.to, last.client, last.created_at), (CardState::Terminated, Who::Main.client(), at))?;
    let events = stored(&handle).await?;
    without_gaps(&events)?;
    let last = expect_some("an event", events.last())?;
    let facts = (last.kind, last.object, last.sequence, last.occurred_at);
    same("the event", facts, (EventKind::CardStateUpdated, card_id(1).0, 2, at))?;
    same("the body of the event", last.body.contains(&format!("{:?}", CardState::Terminated)), true)
}

/// Sends a force post on a card, disputes it, and adds a text of evidence under an idempotency key. Returns the last
/// command, to repeat it.
async fn dispute_with_evidence(handle: &Handle, card: CardId, number: u128) -> Result<DisputeCommand, Failure> {
    let posted = first(Who::Main, card, message(FirstKind::ForcePost, "1")?, stamp(number))?;
    expect_new(handle.cards.first_message(posted).await)?;
    expect_new(handle.disputes.open(open_dispute(Who::Main, token(number), "1", number + 1)?).await)?;
    let command = || -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, &format!("evidence-{number}"), "{}")?);
        Ok(DisputeCommand { claim, ..act_on_dispute(Who::Main, number + 1, evidence("She lost it")?, number + 2)? })
    };
    expect_new(handle.disputes.act(command()?).await)?;
    command()
}

async fn evidence_deleted(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    let hers = dispute_with_evidence(&handle, card_id(1), 10).await?;
    let shared = dispute_with_evidence(&handle, Who::Main.card(), 20).await?;
    let at = after(7);
    let command = ErasePersonCommand {
        person: person_id(1),
        erase: Arc::new(move |person| erase_person(person, at)),
        terminate: Arc::new(move |situation| terminate_for_erasure(situation, at)),
    };
    handle.people.erase(command).await?;
    for (number, left) in [(11, 0), (21, 1)] {
        let found = handle.disputes.find(&Who::Main.account()?, dispute_id(number)).await?;
        same("texts of evidence", expect_some("the dispute", found)?.evidence.len(), left)?;
    }
    expect_new(handle.disputes.act(hers).await)?;
    replayed(handle.disputes.act(shared).await)?;
    Ok(())
}

async fn people_own_no_foreign_cards(handle: Handle) -> CheckResult {
    create_person_with_card(&handle).await?;
    let filter = CardFilter { people: Some(vec![person_id(1)]), ..CardFilter::default() };
    let page = handle.card_management.list(&Who::Other.account()?, filter, PageRequest::default()).await?;
    same("foreign cards of the person", page.count, 0)
}
