//! Clients and their accounts.

use super::body::types::{Account, Id, Named, Time};
use super::declare::tables;
use florin_domain::access::Feature;

tables! {
    /// A client, without its features.
    struct ClientRow in clients(id) of client by id {
        id: Id,
        name: String,
        allowed_networks: String,
        disabled_at: Option<Time>,
        /// What callers recorded about the networks, as JSON.
        network_details: Option<String>,
    }

    /// A feature that is switched on for a client.
    struct FeatureRow in client_features(client_id, feature) of client by client_id {
        client_id: Id,
        feature: Named<Feature>,
    }

    /// An account.
    struct AccountRow in accounts(id) of client by client_id {
        id: Account,
        client_id: Id,
        name: String,
        merchant: bool,
        mfa_required: bool,
        /// Whether the names of its budgets must be unique.
        unique_budget_names: bool,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, client_features);
