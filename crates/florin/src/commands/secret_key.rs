//! `florin secrets show|rotate`

use super::Context;
use super::cells::must_be_settled;
use crate::cells::Stores;
use crate::output;
use crate::secrets;
use anyhow::Context as _;
use florin_application::{other_key, rotate_secrets};
use florin_domain::access::Environment;
use florin_domain::secret::SecretFilter;
use florin_ports::SecretCipher;
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
    /// The key that the store is bound to, or another one that one of its cells is bound to.
    bound: String,
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
    stores: &Stores,
    environment: Environment,
    action: &Action,
) -> anyhow::Result<()> {
    let store = stores.all.as_ref();
    let cipher = secrets::open(&context.settings, environment, store).await?.cipher;
    let key = cipher.key();
    match action {
        Action::Show => {
            // A cell that was left out of a rotation is still bound to another key.
            let other = other_key(store, key).await?;
            let complete = other.is_none() && store.secrets(SecretFilter::NotUnder(key), 1).await?.is_empty();
            let keys = Keys { key: key.to_string(), bound: other.unwrap_or(key).to_string(), complete };
            output::print_json_or_text(context.json, &keys, || match &keys.bound {
                _ if keys.complete => format!("All secrets are encrypted under key {key}."),
                bound if *bound != keys.key => format!(
                    "The database is bound to key {bound}, and key {key} is given; run `florin secrets rotate`."
                ),
                _ => format!("Some secrets are not encrypted under key {key}; run `florin secrets rotate`."),
            })
        }
        Action::Rotate => {
            let rotated = rotate(stores, cipher.as_ref()).await?;
            context.record_result(format!("{rotated} secret(s)"));
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

/// Encrypts all secrets under the current key, and returns their number. Repeats that until nothing is left and no
/// client is being moved: the rotation does not reach secrets that a cell keeps as text, and can miss those that arrive
/// from another cell.
async fn rotate(stores: &Stores, cipher: &dyn SecretCipher) -> anyhow::Result<usize> {
    let mut rotated = 0;
    loop {
        must_be_settled(stores).await?;
        let more = rotate_secrets(stores.all.as_ref(), cipher).await.context("not all secrets were encrypted")?;
        must_be_settled(stores).await.context("not all secrets were encrypted; repeat the command")?;
        rotated += more;
        if more == 0 {
            return Ok(rotated);
        }
    }
}
