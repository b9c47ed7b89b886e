//! API keys.

use super::access::clients;
use super::body::types::{Account, Bytes, Id, Named, Time};
use super::declare::tables;
use florin_domain::access::Environment;

tables! {
    /// A key, without the accounts that it lists.
    struct KeyRow in api_keys(id) of client by client_id {
        id: Id,
        client_id: Id,
        /// The whole hash.
        hash: Bytes,
        /// The first bytes of the hash, by which a key is looked up.
        hash_tag: i64,
        environment: Named<Environment>,
        scopes: String,
        every_account: bool,
        created_at: Time,
        expires_at: Option<Time>,
        revoked_at: Option<Time>,
        /// For the key of a world: the key that created the world.
        made_by: Option<Id>,
        last_used_at: Option<Time>,
        replaced_by: Option<Id>,
    }

    /// An account that a key lists.
    struct KeyAccountRow in api_key_accounts(client_id, key_id, account_id) of client by client_id {
        client_id: Id,
        key_id: Id,
        account_id: Account,
    }
}

diesel::joinable!(api_keys -> clients (client_id));
diesel::allow_tables_to_appear_in_same_query!(api_keys, clients);
diesel::allow_tables_to_appear_in_same_query!(api_keys, api_key_accounts);
