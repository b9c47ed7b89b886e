//! Callers, accounts and clients.

use crate::Cells;
use crate::routes::routes;
use florin_domain::access::{
    Account, AccountProfile, AllowedNetwork, ApiClient, ApiKey, Caller, KeyHash, NetworkRefusal,
};
use florin_domain::card::{DecisionEndpoint, EndpointChange, EndpointRefusal};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Accounts, Callers, CellKey, Decide, EndpointCommand, StoreError, WriteError, Written};

routes! { Callers:
    find(hash: &KeyHash) -> Result<Option<Caller>, StoreError> => [with(find_caller)];
}

routes! { Accounts:
    find(id: &AccountId) -> Result<Option<Account>, StoreError> => [with(find_account)];
    client(id: ClientId) -> Result<Option<ApiClient>, StoreError> => [client(id)];
    + {
        fn forget(&self, id: &AccountId) {
            self.forget_entry(&CellKey::Account(id.clone()));
            for cell in self.open_cells() {
                Accounts::forget(&*cell.store, id);
            }
        }
    }
}

routes! { AccountProfiles:
    profile(id: &AccountId) -> Result<Option<AccountProfile>, StoreError> => [account(id)];
    profiles(key: &ApiKey, page: PageRequest) -> Result<Page<AccountProfile>, StoreError> => [client(key.client)];
}

routes! { ClientNetworks:
    networks(client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError> => [client(client)];
    change_networks(
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>>
        => [client(client)];
}

routes! { DecisionEndpoints:
    endpoint(account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError> => [account(account)];
    change_endpoint(command: EndpointCommand) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>>
        => [account(&command.account)];
}

/// Finds a caller. Always reads the directory once and one store once, so that the duration reveals nothing.
async fn find_caller(cells: &Cells, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
    let route = cells.uncached(CellKey::ApiKey(*hash)).await?;
    let found = Callers::find(&*route.store, hash).await;
    cells.confirm(route).await?;
    found
}

/// Finds an account. Always reads the directory once and one store once, so that the duration reveals nothing.
async fn find_account(cells: &Cells, id: &AccountId) -> Result<Option<Account>, StoreError> {
    let route = cells.uncached(CellKey::Account(id.clone())).await?;
    let found = Accounts::find(&*route.store, id).await;
    cells.confirm(route).await?;
    found
}
