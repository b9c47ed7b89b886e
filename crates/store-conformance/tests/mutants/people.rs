//! Bugs in people.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::{
    CreatePersonRefusal, CreatePersonSituation, EditPersonRefusal, Person, PersonFilter, PersonOverview,
};
use florin_ports::{
    CreatePersonCommand, EditPersonCommand, ErasePersonCommand, People, StoreError, WriteError, Written,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[async_trait]
impl People for Mutant {
    async fn find(&self, account: &AccountId, person: PersonId) -> Result<Option<PersonOverview>, StoreError> {
        let found = People::find(&self.inner, account, person).await?;
        if found.is_none() && self.has(Bug::PeopleOfAnyAccount) {
            return People::find(&self.inner, &AccountId::parse("F2").unwrap(), person).await;
        }
        Ok(found)
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PersonFilter,
        page: PageRequest,
    ) -> Result<Page<PersonOverview>, StoreError> {
        let mut found = People::list(&self.inner, account, filter.clone(), page).await?;
        if self.has(Bug::ErasedPeopleUncounted) {
            let all = People::list(&self.inner, account, filter, PageRequest { limit: 1000, offset: 0 }).await?;
            let erased = all.rows.iter().filter(|overview| overview.person.is_erased()).count();
            found.count -= i64::try_from(erased).unwrap();
        }
        if self.has(Bug::PeopleById) {
            found.rows.sort_by_key(|overview| overview.person.id);
        }
        Ok(found)
    }

    async fn create(
        &self,
        mut command: CreatePersonCommand,
    ) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>> {
        command.claim = self.claim(command.claim);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &CreatePersonSituation| {
            let mut situation = *situation;
            if bug == Some(Bug::KnownPeopleHidden) {
                situation.known = None;
            }
            if bug == Some(Bug::EmailAddressesTwice) {
                situation.email_taken = false;
            }
            rule(&situation)
        });
        People::create(&self.inner, command).await
    }

    async fn edit(
        &self,
        mut command: EditPersonCommand,
    ) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::RolesStay) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |person: &Person| Ok(Person { role: person.role, ..rule(person)? }));
        }
        People::edit(&self.inner, command).await
    }

    async fn erase(&self, mut command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError> {
        if self.has(Bug::ErasedOnOneAccount) {
            let first = Arc::new(AtomicBool::new(true));
            let rule = Arc::clone(&command.erase);
            command.erase = Arc::new(
                move |person: &Person| {
                    if first.swap(false, Ordering::Relaxed) { rule(person) } else { person.clone() }
                },
            );
        }
        if self.has(Bug::ErasedOwnersKeepTheirCards) {
            command.terminate = Arc::new(|_| None);
        }
        if self.has(Bug::SnapshotsOutliveErasure) {
            return Ok(Vec::new());
        }
        if self.has(Bug::EvidenceOutlivesItsOwner) {
            return self.erase_without_disputes(command).await;
        }
        People::erase(&self.inner, command).await
    }
}
