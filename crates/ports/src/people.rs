//! People of accounts.

use crate::{Decide, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::card::{CardChange, ErasureSituation};
use florin_domain::ids::{AccountId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::{
    CreatePersonRefusal, CreatePersonSituation, EditPersonRefusal, EmailAddress, Person, PersonFilter, PersonOverview,
};

/// A command to create a person.
pub struct CreatePersonCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The email address. The situation says who already has it, ignoring case.
    pub email: EmailAddress,
    /// The rule.
    pub decide: Decide<CreatePersonSituation, Result<Person, CreatePersonRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<PersonOverview>>,
}

/// A command to change a person.
pub struct EditPersonCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The person, who must belong to the account.
    pub person: PersonId,
    /// The rule. It changes neither ids nor the email address.
    pub decide: Decide<Person, Result<Person, EditPersonRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<PersonOverview>>,
}

/// A command to erase a person.
pub struct ErasePersonCommand {
    /// The person.
    pub person: PersonId,
    /// The rule for the person on each account.
    pub erase: Decide<Person, Person>,
    /// The rule for each card that the person owns. `None`: the card does not change.
    pub terminate: Decide<ErasureSituation, Option<CardChange>>,
}

/// Stores people. Creations are decided sequentially, and so are changes on one account. So the situation of a decision
/// stays valid until the decision is stored.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait People: Send + Sync {
    /// Returns a person. `None`: no such person on the account.
    async fn find(&self, account: &AccountId, person: PersonId) -> Result<Option<PersonOverview>, StoreError>;

    /// Lists the account's matching people, oldest first by creation, then by id. The count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: PersonFilter,
        page: PageRequest,
    ) -> Result<Page<PersonOverview>, StoreError>;

    /// Decides the creation of a person. `Absent`: no such account.
    async fn create(
        &self,
        command: CreatePersonCommand,
    ) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>>;

    /// Decides a change of a person. `Absent`: no such person on the account.
    async fn edit(&self, command: EditPersonCommand) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>>;

    /// Erases a person on every account, with the cards that the person owns, and returns those accounts by id. Also
    /// deletes everything else that contains the person's data: idempotency records of creations and changes of the
    /// person, snapshots of worlds, the evidence of disputes of the person's cards, and the idempotency records that
    /// contain this evidence.
    async fn erase(&self, command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError>;
}
