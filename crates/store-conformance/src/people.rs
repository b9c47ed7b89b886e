//! Commands that create and change people, with the domain's rules.

use crate::check::Failure;
use crate::seed_data::{Who, day, noon, uuid};
use chrono::{DateTime, Utc};
use florin_domain::card::{GrantedBudget, IndividualHolder};
use florin_domain::ids::{BudgetId, PersonId, PersonaId};
use florin_domain::people::{
    CreatePersonSituation, EmailAddress, Person, PersonEdit, PersonOverview, PersonRequest, PersonStatus, Role,
    decide_create_person, decide_edit_person,
};
use florin_domain::text::Text;
use florin_ports::{CreatePersonCommand, EditPersonCommand};
use std::fmt::Debug;
use std::sync::Arc;

/// Returns the id of person `number` created by a check.
pub(crate) const fn person_id(number: u128) -> PersonId {
    PersonId(uuid(95, number))
}

/// Returns the id of the membership of person `number` created by a check.
pub(crate) const fn persona_id(number: u128) -> PersonaId {
    PersonaId(uuid(96, number))
}

/// Builds a command that creates person `number` with an email address.
pub(crate) fn create_person(who: Who, number: u128, email: &str) -> Result<CreatePersonCommand, Failure> {
    let email = EmailAddress::parse(email)?;
    let request = PersonRequest {
        id: person_id(number),
        persona: persona_id(number),
        account: who.account()?,
        first_name: Text::parse("Łucja ")?,
        last_name: Text::parse(format!(" {number} ✓"))?,
        email: email.clone(),
        born: Some(day(2000, 2, 29)),
        role: Role::Accountant,
        status: PersonStatus::Inactive,
        max_people: 1_000,
        now: noon(),
    };
    let decide = Arc::new(move |situation: &CreatePersonSituation| decide_create_person(*situation, &request));
    Ok(CreatePersonCommand { account: who.account()?, email, decide, claim: None })
}

/// Builds a command that changes a person.
pub(crate) fn edit_person(
    who: Who,
    person: PersonId,
    edit: PersonEdit,
    now: DateTime<Utc>,
) -> Result<EditPersonCommand, Failure> {
    let decide = Arc::new(move |person: &Person| decide_edit_person(person, &edit, now));
    Ok(EditPersonCommand { account: who.account()?, person, decide, claim: None })
}

/// Returns the owner of a card: person `number`, who may spend from these budgets.
pub(crate) fn individual_holder(number: u128, budgets: &[BudgetId]) -> IndividualHolder {
    let granted = |budget: &BudgetId| GrantedBudget { budget: *budget, active: true };
    IndividualHolder { person: person_id(number), budgets: budgets.iter().map(granted).collect() }
}

/// Returns every member of a person. `Debug` of a person hides the personal ones.
pub(crate) fn members(overview: &PersonOverview) -> impl Debug + PartialEq + use<> {
    let PersonOverview { person, has_card } = overview.clone();
    let names = (person.first_name, person.last_name, person.email.map(|email| email.as_str().to_owned()));
    let ids = (person.id, person.persona, person.account);
    (ids, names, person.born, person.role, person.status, person.created_at, person.updated_at, has_card)
}
