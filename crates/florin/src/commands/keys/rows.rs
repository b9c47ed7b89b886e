//! Keys as the commands print them.

use crate::commands::format_time;
use crate::machine::SystemClock;
use crate::output;
use florin_domain::access::{AccountGrant, ApiKey, Scope};
use florin_domain::ids::AccountId;
use florin_ports::Clock;
use serde::Serialize;

/// JSON representation of a key, without its secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) id: String,
    client_id: String,
    environment: &'static str,
    scopes: Vec<&'static str>,
    /// Whether the key has every scope that opens an operation in its environment.
    #[serde(skip)]
    has_all_scopes: bool,
    /// `None`: every account of the client.
    accounts: Option<Vec<String>>,
    created_at: String,
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<String>,
    /// Whether the key is in use, was not rotated, and expires within 14 days.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expires_soon: bool,
}

/// JSON representation of a new key, with its secret.
#[derive(Serialize)]
pub(super) struct Issued {
    pub(super) key: String,
    #[serde(flatten)]
    pub(super) row: Row,
}

impl From<ApiKey> for Row {
    fn from(key: ApiKey) -> Self {
        Self {
            expires_soon: key.expires_soon(SystemClock.now()),
            has_all_scopes: Scope::all_in(key.environment).all(|scope| key.scopes.contains(&scope)),
            id: key.id.to_string(),
            client_id: key.client.to_string(),
            environment: key.environment.as_str(),
            scopes: key.scopes.iter().map(|scope| scope.as_str()).collect(),
            accounts: match key.accounts {
                AccountGrant::AllOfClient => None,
                AccountGrant::Only(accounts) => Some(accounts.iter().map(AccountId::to_string).collect()),
            },
            created_at: format_time(key.created_at),
            expires_at: key.expires_at.map(format_time),
            revoked_at: key.revoked_at.map(format_time),
            last_used_at: key.last_used_at.map(format_time),
        }
    }
}

pub(super) fn as_text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let scopes = match row.scopes.as_slice() {
            [] => "none".to_owned(),
            _ if row.has_all_scopes => "all".to_owned(),
            scopes => scopes.join(" "),
        };
        let accounts = row.accounts.as_ref().map_or("all".to_owned(), |accounts| output::listed(accounts));
        let state = match (&row.revoked_at, &row.expires_at) {
            (Some(at), _) => format!("revoked {at}"),
            (None, Some(at)) if row.expires_soon => format!("EXPIRES SOON {at}"),
            (None, Some(at)) => format!("expires {at}"),
            (None, None) => "-".to_owned(),
        };
        let used = row.last_used_at.clone().unwrap_or_else(|| "-".to_owned());
        [row.id.clone(), row.client_id.clone(), row.created_at.clone(), used, state, accounts, scopes]
    };
    let heads = ["ID", "CLIENT", "ISSUED", "LAST USED", "ENDS", "ACCOUNTS", "SCOPES"];
    output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>())
}
