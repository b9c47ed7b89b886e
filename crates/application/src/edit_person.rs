//! Changes a person of an account.

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::ids::PersonId;
use florin_domain::people::{EditPersonRefusal, Person, PersonEdit, PersonOverview, decide_edit_person};
use florin_ports::{EditPersonCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Changes a person of the account. Members that the edit leaves out stay unchanged.
pub async fn edit_person(
    services: &ManagementServices,
    account: &Account,
    person: PersonId,
    edit: PersonEdit,
    claim: Option<IdempotencyClaim<PersonOverview>>,
) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>> {
    let now = services.time.now_of(account);
    let decide = Arc::new(move |person: &Person| decide_edit_person(person, &edit, now));
    services.people.edit(EditPersonCommand { account: account.id.clone(), person, decide, claim }).await
}
