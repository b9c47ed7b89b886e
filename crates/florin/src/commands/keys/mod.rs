//! `florin keys issue|list|rotate|revoke`

mod rotate;
mod rows;

use super::{Context, argument, explain, lookup, parse_time, wait_for_cache_expiry};
use crate::machine::{RandomIds, SystemClock, new_key};
use crate::output::{self, Rows};
use crate::suggest;
use crate::usage::UsageError;
use chrono::SubsecRound;
use florin_domain::access::{AccountGrant, ApiKey, Environment, Scope};
use florin_domain::ids::ApiKeyId;
use florin_ports::{Clock, CompleteStorage, IdSource};
use rows::{Issued, Row, as_text};
use serde::Serialize;
use std::collections::BTreeSet;

/// Actions on keys.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Issue a key and print it; it cannot be shown again
    Issue(NewKey),
    /// List keys, without their secrets
    List {
        /// Only keys of this client: id or name
        #[arg(long, value_name = "CLIENT")]
        client: Option<String>,
    },
    /// Replace a key by a new one with the same reach, and print it; the old key expires after an overlap
    Rotate(rotate::Arguments),
    /// Revoke a key, and the keys of the worlds that it created; once the command returns, no server accepts the key
    Revoke {
        /// The id of the key, as `florin keys list` shows it; not the key itself
        #[arg(value_name = "KEY_ID")]
        id: String,
    },
}

/// A new key.
#[derive(Debug, clap::Args)]
pub(crate) struct NewKey {
    /// The client it is for: id or name
    #[arg(long, value_name = "CLIENT")]
    client: String,
    /// A scope, such as cards:read:any; repeatable
    #[arg(long = "scope", value_name = "SCOPE", conflicts_with = "all_scopes")]
    scopes: Vec<String>,
    /// Grant every scope that opens an operation in the store's environment
    #[arg(long)]
    all_scopes: bool,
    /// Account that the key may access, by id or name; repeatable [default: every account of the client]
    #[arg(long = "account", value_name = "ACCOUNT")]
    accounts: Vec<String>,
    /// When it expires, such as 2027-01-01T00:00:00Z [default: never]
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
}

/// JSON result of `florin keys revoke`.
#[derive(Serialize)]
struct Revoked {
    id: String,
    revoked: bool,
}

pub(super) async fn run(
    context: &Context,
    store: &dyn CompleteStorage,
    environment: Environment,
    action: Action,
) -> anyhow::Result<()> {
    match action {
        Action::Issue(new) => issue(context, store, environment, &new).await,
        Action::List { client } => {
            let client = match client {
                Some(text) => Some(lookup::client(store, "--client", &text).await?),
                None => None,
            };
            let rows: Vec<_> = store.keys(client).await?.into_iter().map(Row::from).collect();
            let list = Rows { rows };
            output::print_json_or_text(context.json, &list, || as_text(&list.rows))
        }
        Action::Rotate(arguments) => rotate::run(context, store, environment, &arguments).await,
        Action::Revoke { id } => {
            let key = argument("KEY_ID", &id, ApiKeyId::parse)?;
            let absent = || format!("key {key} does not exist");
            let revoked = store.revoke_key(key, SystemClock.now()).await;
            revoked.map_err(|error| explain(error, absent, String::new))?;
            context.record_result(format!("key {key} revoked"));
            wait_for_cache_expiry().await;
            let revoked = Revoked { id: key.to_string(), revoked: true };
            output::print_json_or_text(context.json, &revoked, || format!("Revoked key {key}."))
        }
    }
}

async fn issue(
    context: &Context,
    store: &dyn CompleteStorage,
    environment: Environment,
    new: &NewKey,
) -> anyhow::Result<()> {
    let key = compose(store, new, environment).await?;
    let secret = new_key(environment)?;
    let absent = || match new.accounts.as_slice() {
        [] => format!("client {} does not exist", new.client),
        accounts => format!("client {} with account(s) {} does not exist", new.client, accounts.join(", ")),
    };
    let added = store.add_key(key.clone(), florin_application::key_hash(&secret)).await;
    added.map_err(|error| explain(error, absent, || "the key already exists".to_owned()))?;
    context.record_result(format!("key {} of client {}, scopes {}", key.id, key.client, scopes(&key)));
    let issued = Issued { key: secret, row: key.into() };
    output::print_json_or_text(context.json, &issued, || {
        format!("Issued key {}. It is shown only once:\n\n  {}\n", issued.row.id, issued.key)
    })
}

/// The scopes of a key, separated by commas.
fn scopes(key: &ApiKey) -> String {
    key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
}

/// Builds the key that the arguments describe.
async fn compose(store: &dyn CompleteStorage, new: &NewKey, environment: Environment) -> anyhow::Result<ApiKey> {
    let scopes = if new.all_scopes {
        Scope::all_in(environment).collect()
    } else {
        new.scopes.iter().map(|text| scope(text, environment)).collect::<Result<BTreeSet<_>, _>>()?
    };
    let expires_at = new.expires_at.as_deref().map(|text| parse_time("--expires-at", text)).transpose()?;
    let mut accounts = BTreeSet::new();
    for text in &new.accounts {
        accounts.insert(lookup::account(store, "--account", text).await?);
    }
    Ok(ApiKey {
        id: ApiKeyId(RandomIds.next_id()),
        client: lookup::client(store, "--client", &new.client).await?,
        environment,
        scopes,
        accounts: if accounts.is_empty() { AccountGrant::AllOfClient } else { AccountGrant::Only(accounts) },
        created_at: SystemClock.now().trunc_subsecs(0),
        expires_at,
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    })
}

/// Parses a scope, and refuses one that opens nothing in the environment.
fn scope(text: &str, environment: Environment) -> Result<Scope, UsageError> {
    let scope = Scope::parse(text).ok_or_else(|| {
        let known: Vec<_> = Scope::all_in(environment).map(Scope::as_str).collect();
        UsageError::new(format!("unknown scope `{text}`; {}", suggest::or_list(text, "scopes", &known)))
    })?;
    if scope.opens_in(environment) {
        Ok(scope)
    } else {
        let environment = environment.as_str();
        Err(UsageError::new(format!("scope `{scope}` is not available in {environment}: it opens no operation there")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn an_unknown_scope_is_refused_with_advice() {
        let refused = |text, environment| scope(text, environment).unwrap_err().to_string();
        let said = refused("cards:simulat:any", Environment::Sandbox);
        assert!(said.contains("did you mean `cards:simulate:any`?"), "{said}");
        let said = refused("everything", Environment::Production);
        assert!(said.contains("budgets:read:any") && said.contains("merchant:orders"), "{said}");
        assert!(!said.contains("simulate"), "{said}");
    }

    #[test]
    fn a_scope_that_opens_nothing_in_the_environment_is_refused() {
        assert_eq!(scope("cards:simulate:any", Environment::Sandbox).unwrap(), Scope::CardsSimulate);
        let said = scope("cards:simulate:any", Environment::Production).unwrap_err().to_string();
        assert_eq!(said, "scope `cards:simulate:any` is not available in production: it opens no operation there");
    }

    #[test]
    fn every_scope_opens_an_operation_in_each_of_its_environments() {
        fn sources(folder: &Path, text: &mut String) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    sources(&entry.path(), text);
                } else {
                    text.push_str(&fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        let mut text = String::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../http-actix/src/routes"), &mut text);
        for scope in Scope::ALL {
            let all = text.matches(&format!("Scope::{scope:?}")).count();
            let sandbox_only = text.matches(&format!("Requirement::sandbox(Scope::{scope:?})")).count();
            assert!(all > 0, "{scope:?}");
            assert_eq!(all > sandbox_only, scope.opens_in(Environment::Production), "{scope:?}");
        }
    }
}
