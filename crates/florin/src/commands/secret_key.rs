//! `florin secrets show|rotate`

use super::Context;
use crate::output;
use crate::secrets;
use anyhow::Context as _;
use florin_application::rotate_secrets;
use florin_domain::access::Environment;
use florin_domain::secret::SecretFilter;
use florin_ports::{CompleteStorage, SecretCipher};
use serde::Serialize;

/// Actions on the key that encrypts secrets.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Show the ids of the given key and of the key that the database is bound to
    Show,
    /// Encrypt all secrets under the given key. The previous key must be given too, as
    /// `FLORIN_SECRET_KEY_PREVIOUS_FILE`
    Rotate,
}

/// JSON representation of the keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Keys {
    key: String,
    bound: Option<String>,
    /// Whether the store is bound to `key` and all secrets are encrypted under it. The previous key is then not needed
    /// any more.
    complete: bool,
}

/// The result of a rotation.
#[derive(Serialize)]
struct Rotated {
    key: String,
    rotated: usize,
}

pub(super) async fn run(
    context: &Context,
    store: &dyn CompleteStorage,
    environment: Environment,
    action: &Action,
) -> anyhow::Result<()> {
    let cipher = secrets::open(&context.settings, environment, store).await?.cipher;
    let key = cipher.key();
    match action {
        Action::Show => {
            let bound = store.secret_key().await?.map(|bound| bound.id);
            let complete = bound == Some(key) && store.secrets(SecretFilter::NotUnder(key), 1).await?.is_empty();
            let keys = Keys { key: key.to_string(), bound: bound.map(|bound| bound.to_string()), complete };
            output::print_json_or_text(context.json, &keys, || match &keys.bound {
                _ if keys.complete => format!("All secrets are encrypted under key {key}."),
                Some(bound) if *bound != keys.key => format!(
                    "The database is bound to key {bound}, and key {key} is given; run `florin secrets rotate`."
                ),
                _ => format!("Some secrets are not encrypted under key {key}; run `florin secrets rotate`."),
            })
        }
        Action::Rotate => {
            let rotated = rotate_secrets(store, cipher.as_ref()).await.context("not all secrets were encrypted")?;
            context.note(format!("{rotated} secret(s)"));
            let rotated = Rotated { key: key.to_string(), rotated };
            output::print_json_or_text(context.json, &rotated, || {
                format!(
                    "Encrypted {} secret(s) under key {key}. The previous key is not needed any more.",
                    rotated.rotated
                )
            })
        }
    }
}
