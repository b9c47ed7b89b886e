//! People of accounts.

use crate::Cells;
use crate::cells::Store;
use crate::routes::routes;
use florin_domain::ids::{AccountId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::{CreatePersonRefusal, EditPersonRefusal, PersonFilter, PersonOverview};
use florin_ports::{
    CreatePersonCommand, EditPersonCommand, ErasePersonCommand, People, StoreError, WriteError, Written,
};

routes! { People:
    find(account: &AccountId, person: PersonId) -> Result<Option<PersonOverview>, StoreError> => [account(account)];
    list(account: &AccountId, filter: PersonFilter, page: PageRequest) -> Result<Page<PersonOverview>, StoreError>
        => [account(account)];
    create(command: CreatePersonCommand) -> Result<Written<PersonOverview>, WriteError<CreatePersonRefusal>>
        => [account(&command.account)];
    edit(command: EditPersonCommand) -> Result<Written<PersonOverview>, WriteError<EditPersonRefusal>>
        => [account(&command.account)];
    erase(command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError> => [with(erase)];
}

/// Erases the person in every cell. If a cell fails, the person is erased in the others, and a retry completes the
/// erasure.
async fn erase(cells: &Cells, command: ErasePersonCommand) -> Result<Vec<AccountId>, StoreError> {
    let erase = |store: Store| {
        let ErasePersonCommand { person, erase, terminate } = &command;
        let command = ErasePersonCommand { person: *person, erase: erase.clone(), terminate: terminate.clone() };
        async move { People::erase(&*store, command).await }
    };
    let mut accounts: Vec<_> = cells.ask_all(erase).await?.into_iter().flatten().collect();
    accounts.sort();
    Ok(accounts)
}
