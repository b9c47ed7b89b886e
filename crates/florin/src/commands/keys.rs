//! `florin keys issue|list|revoke`

use super::{Context, argument, client_argument, explain, forgotten, written};
use crate::machine::{RandomIds, SystemClock, new_key};
use crate::output::{self, Rows};
use crate::usage::UsageError;
use chrono::{DateTime, SubsecRound, Utc};
use florin_domain::access::{AccountGrant, ApiKey, Environment, Scope};
use florin_domain::ids::{AccountId, ApiKeyId};
use florin_ports::{Clock, IdSource, Registry};
use serde::Serialize;
use std::collections::BTreeSet;

/// What to do with keys.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Issue a key and print it, this once.
    Issue(NewKey),
    /// List all keys, without their secrets.
    List {
        /// Only of this client.
        #[arg(long, value_name = "CLIENT")]
        client: Option<String>,
    },
    /// Revoke a key: when this has returned, no server accepts it.
    Revoke {
        /// The id of the key, not the key itself.
        #[arg(value_name = "KEY_ID")]
        id: String,
    },
}

/// A new key.
#[derive(Debug, clap::Args)]
pub(crate) struct NewKey {
    /// The id of the client it is for.
    #[arg(long, value_name = "CLIENT")]
    client: String,
    /// What it may do, such as cards:simulate:any; may be given several times.
    #[arg(long = "scope", value_name = "SCOPE", conflicts_with = "all_scopes")]
    scopes: Vec<String>,
    /// It may do everything.
    #[arg(long)]
    all_scopes: bool,
    /// An account it may touch; may be given several times. Without it: every account of the client.
    #[arg(long = "account", value_name = "ACCOUNT")]
    accounts: Vec<String>,
    /// From when on it does not work, such as 2027-01-01T00:00:00Z.
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
}

/// A key as scripts read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    client_id: String,
    environment: &'static str,
    scopes: Vec<&'static str>,
    /// `None`: every account of the client.
    accounts: Option<Vec<String>>,
    created_at: String,
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

/// A key with its secret.
#[derive(Serialize)]
struct Issued {
    key: String,
    #[serde(flatten)]
    row: Row,
}

/// A key that was revoked.
#[derive(Serialize)]
struct Revoked {
    id: String,
    revoked: bool,
}

impl From<ApiKey> for Row {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            client_id: key.client.to_string(),
            environment: key.environment.as_str(),
            scopes: key.scopes.iter().map(|scope| scope.as_str()).collect(),
            accounts: match key.accounts {
                AccountGrant::AllOfClient => None,
                AccountGrant::Only(accounts) => Some(accounts.iter().map(AccountId::to_string).collect()),
            },
            created_at: written(key.created_at),
            expires_at: key.expires_at.map(written),
            revoked_at: key.revoked_at.map(written),
        }
    }
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    match action {
        Action::Issue(new) => issue(context, registry, &new).await,
        Action::List { client } => {
            let client = client.as_deref().map(client_argument).transpose()?;
            let rows: Vec<_> = registry.keys(client).await?.into_iter().map(Row::from).collect();
            let list = Rows { rows };
            output::either(context.json, &list, || print(&list.rows))
        }
        Action::Revoke { id } => {
            let key = argument("KEY_ID", &id, ApiKeyId::parse)?;
            let absent = || format!("there is no key {key}");
            let revoked = registry.revoke_key(key, SystemClock.now()).await;
            revoked.map_err(|error| explain(error, absent, String::new))?;
            forgotten().await;
            let revoked = Revoked { id: key.to_string(), revoked: true };
            output::either(context.json, &revoked, || format!("Key {key} is revoked."))
        }
    }
}

async fn issue(context: &Context, registry: &dyn Registry, new: &NewKey) -> anyhow::Result<()> {
    let environment = context.settings.environment;
    let key = compose(new, environment)?;
    let secret = new_key(environment)?;
    let absent = || match new.accounts.as_slice() {
        [] => format!("there is no client {}", new.client),
        accounts => format!("there is no client {} with account(s) {}", new.client, accounts.join(", ")),
    };
    let added = registry.add_key(key.clone(), florin_application::key_hash(&secret)).await;
    added.map_err(|error| explain(error, absent, || "there is such a key already".to_owned()))?;
    let issued = Issued { key: secret, row: key.into() };
    output::either(context.json, &issued, || {
        format!("Key {} is issued. It is shown this once:\n\n  {}\n", issued.row.id, issued.key)
    })
}

/// The key that the arguments describe.
fn compose(new: &NewKey, environment: Environment) -> Result<ApiKey, UsageError> {
    let scopes = if new.all_scopes {
        Scope::ALL.iter().copied().collect()
    } else {
        new.scopes.iter().map(|text| scope(text)).collect::<Result<BTreeSet<_>, _>>()?
    };
    let accounts: BTreeSet<_> =
        new.accounts.iter().map(|text| argument("--account", text, AccountId::parse)).collect::<Result<_, _>>()?;
    Ok(ApiKey {
        id: ApiKeyId(RandomIds.next_id()),
        client: client_argument(&new.client)?,
        environment,
        scopes,
        accounts: if accounts.is_empty() { AccountGrant::AllOfClient } else { AccountGrant::Only(accounts) },
        created_at: SystemClock.now().trunc_subsecs(0),
        expires_at: new.expires_at.as_deref().map(time).transpose()?,
        revoked_at: None,
    })
}

fn scope(text: &str) -> Result<Scope, UsageError> {
    Scope::parse(text).ok_or_else(|| {
        let known: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        UsageError::new(format!("--scope is {text:?}: one of {} is wanted", known.join(", ")))
    })
}

fn time(text: &str) -> Result<DateTime<Utc>, UsageError> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc().trunc_subsecs(0));
    time.map_err(|_| {
        UsageError::new(format!("--expires-at is {text:?}: a time such as 2027-01-01T00:00:00Z is wanted"))
    })
}

fn print(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let scopes = match row.scopes.len() {
            all if all == Scope::ALL.len() => "all".to_owned(),
            0 => "none".to_owned(),
            _ => row.scopes.join(" "),
        };
        let accounts = row.accounts.as_ref().map_or("all".to_owned(), |accounts| output::listed(accounts));
        let state = match (&row.revoked_at, &row.expires_at) {
            (Some(at), _) => format!("revoked {at}"),
            (None, Some(at)) => format!("until {at}"),
            (None, None) => "-".to_owned(),
        };
        [row.id.clone(), row.client_id.clone(), row.created_at.clone(), state, accounts, scopes]
    };
    let heads = ["ID", "CLIENT", "ISSUED", "ENDS", "ACCOUNTS", "SCOPES"];
    output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new() -> NewKey {
        NewKey {
            client: "0198c0de-0001-7000-8000-000000000001".into(),
            scopes: Vec::new(),
            all_scopes: false,
            accounts: Vec::new(),
            expires_at: None,
        }
    }

    #[test]
    fn a_key_has_what_was_asked_for() {
        let scopes = vec!["cards:simulate:any".into(), "cards:simulate:any".into()];
        let expires_at = Some("2027-01-01T01:00:00.5+01:00".into());
        let key = compose(&NewKey { scopes, accounts: vec!["F1".into()], expires_at, ..new() }, Environment::Sandbox);
        let row = Row::from(key.unwrap());
        assert_eq!((row.scopes, row.accounts), (vec!["cards:simulate:any"], Some(vec!["F1".to_owned()])));
        assert_eq!((row.environment, row.expires_at.as_deref()), ("sandbox", Some("2027-01-01T00:00:00Z")));
        let all = compose(&NewKey { all_scopes: true, ..new() }, Environment::Production).unwrap();
        assert_eq!((all.scopes.len(), all.accounts), (Scope::ALL.len(), AccountGrant::AllOfClient));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (wrong, named) in [
            (NewKey { client: "demo".into(), ..new() }, "--client"),
            (NewKey { scopes: vec!["cards".into()], ..new() }, "cards:simulate:any"),
            (NewKey { accounts: vec![String::new()], ..new() }, "--account"),
            (NewKey { expires_at: Some("tomorrow".into()), ..new() }, "--expires-at"),
        ] {
            let said = compose(&wrong, Environment::Sandbox).unwrap_err().to_string();
            assert!(said.contains(named), "{said}");
        }
    }
}
