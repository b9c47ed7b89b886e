//! Rows of an export: clients, their accounts and keys.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{accounts, api_key_accounts, api_keys, client_features, clients};
use super::body::types::{Id, Time};
use super::rows::rows;
use super::values::hexadecimal;
use diesel::prelude::*;

rows! {
    Client of clients apart {
        id: Id,
        name: String,
        allowed_networks: String,
    }

    ClientFeature of client_features apart {
        client_id: Id,
        feature: String,
    }

    Account of accounts apart {
        id: String,
        client_id: Id,
        name: String,
        merchant: bool,
        mfa_required: bool,
    }

    ApiKey of api_keys apart {
        id: Id,
        client_id: Id,
        #[serde(with = "hexadecimal")]
        hash: Vec<u8>,
        hash_tag: i64,
        environment: String,
        scopes: String,
        every_account: bool,
        created_at: Time,
        expires_at: Option<Time>,
        revoked_at: Option<Time>,
    }

    ApiKeyAccount of api_key_accounts apart {
        client_id: Id,
        key_id: Id,
        account_id: String,
    }
}
