//! `florin mfa show|enrol|remove|unlock|require|waive`

use super::{Context, explain, format_time, lookup, percent_encoded};
use crate::cells::Stores;
use crate::machine::{self, SystemClock};
use crate::output;
use crate::secrets;
use anyhow::anyhow;
use florin_domain::access::Environment;
use florin_domain::ids::AccountId;
use florin_domain::mfa::TotpEnrolment;
use florin_domain::secret::{Secret, SecretOwner};
use florin_mfa::base32_secret;
use florin_ports::{Accounts, Clock, CompleteStorage, SecretCipher, StoreError};
use serde::Serialize;

/// Actions on the multi-factor authentication of an account.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Show the MFA policy and enrolment of an account
    Show(AccountArgument),
    /// Enrol an account for TOTP, replacing an earlier enrolment, and print its secret once
    Enrol(AccountArgument),
    /// Remove the enrolment of an account
    Remove(AccountArgument),
    /// Unlock TOTP of an account after too many wrong MFA tokens
    Unlock(AccountArgument),
    /// Require multi-factor authentication to confirm payment batches of an account
    Require(AccountArgument),
    /// Allow payment batches of an account to be confirmed without multi-factor authentication
    Waive(AccountArgument),
}

/// An account.
#[derive(Debug, clap::Args)]
pub(crate) struct AccountArgument {
    /// The account: id or name
    #[arg(value_name = "ACCOUNT")]
    account: String,
}

/// JSON representation of an account's MFA policy and enrolment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    account_id: String,
    required: bool,
    enrolled: bool,
    locked_until: Option<String>,
}

/// A new enrolment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Enrolled {
    account_id: String,
    secret: String,
    uri: String,
}

pub(super) async fn run(
    context: &Context,
    stores: &Stores,
    environment: Environment,
    action: Action,
) -> anyhow::Result<()> {
    let store = stores.all.as_ref();
    match action {
        Action::Show(whose) => show(context, store, &whose.id(store).await?).await,
        Action::Enrol(whose) => {
            let cipher = secrets::open(&context.settings, environment, stores.home.as_ref()).await?.cipher;
            enrol(context, store, cipher.as_ref(), &whose.id(store).await?).await
        }
        Action::Remove(whose) => {
            let id = whose.id(store).await?;
            if !store.remove_enrolment(&id).await.map_err(|error| unknown(error, &id))? {
                return Err(anyhow!("account {id} has no enrolment"));
            }
            context.record_result(format!("account {id}: enrolment removed"));
            show(context, store, &id).await
        }
        Action::Unlock(whose) => {
            let id = whose.id(store).await?;
            if !store.unlock_enrolment(&id).await.map_err(|error| unknown(error, &id))? {
                return Err(anyhow!("account {id} has no enrolment"));
            }
            context.record_result(format!("account {id}: unlocked"));
            show(context, store, &id).await
        }
        Action::Require(whose) => set_policy(context, store, &whose.id(store).await?, true).await,
        Action::Waive(whose) => set_policy(context, store, &whose.id(store).await?, false).await,
    }
}

impl AccountArgument {
    async fn id(&self, store: &dyn CompleteStorage) -> anyhow::Result<AccountId> {
        lookup::account(store, "ACCOUNT", &self.account).await
    }
}

async fn set_policy(
    context: &Context,
    store: &dyn CompleteStorage,
    id: &AccountId,
    required: bool,
) -> anyhow::Result<()> {
    store.set_mfa_required(id, required).await.map_err(|error| unknown(error, id))?;
    context.record_result(format!("account {id}: MFA {}", if required { "required" } else { "waived" }));
    show(context, store, id).await
}

async fn show(context: &Context, store: &dyn CompleteStorage, id: &AccountId) -> anyhow::Result<()> {
    let account = Accounts::find(store, id).await?.ok_or_else(|| anyhow!("account {id} does not exist"))?;
    let enrolment = store.enrolment(id).await?;
    let now = SystemClock.now();
    let row = Row {
        account_id: id.to_string(),
        required: account.mfa_required,
        enrolled: enrolment.is_some(),
        locked_until: enrolment.and_then(|known| known.locked_until).filter(|until| *until > now).map(format_time),
    };
    output::print_json_or_text(context.json, &row, || {
        let lock = row.locked_until.as_ref().map(|until| format!("; TOTP is locked until {until}")).unwrap_or_default();
        let policy = if row.required { "requires MFA" } else { "does not require MFA" };
        let enrolment = if row.enrolled { "it is enrolled for TOTP" } else { "it is not enrolled" };
        format!("Account {id} {policy}; {enrolment}{lock}.")
    })
}

async fn enrol(
    context: &Context,
    store: &dyn CompleteStorage,
    cipher: &dyn SecretCipher,
    id: &AccountId,
) -> anyhow::Result<()> {
    // 160 bits, as RFC 4226 recommends.
    let secret = Secret::new(machine::random::<20>()?.to_vec());
    let text = base32_secret(&secret);
    let sealed = cipher.seal(&SecretOwner::Totp(id.clone()), &secret)?;
    store.enrol(TotpEnrolment::new(id.clone(), sealed)).await.map_err(|error| unknown(error, id))?;
    context.record_result(format!("account {id}: enrolled"));
    let enrolled = Enrolled { account_id: id.to_string(), uri: uri(id, &text), secret: text };
    output::print_json_or_text(context.json, &enrolled, || {
        let (secret, uri) = (&enrolled.secret, &enrolled.uri);
        format!("Enrolled account {id}. Its secret is shown only once:\n\n  {secret}\n  {uri}\n")
    })
}

/// The URI that authenticator apps read, usually from a QR code. The account id is percent-encoded, because it may
/// contain any character.
fn uri(id: &AccountId, secret: &str) -> String {
    let label = percent_encoded(id.as_str());
    format!("otpauth://totp/Florin:{label}?secret={secret}&issuer=Florin&algorithm=SHA1&digits=6&period=30")
}

fn unknown(error: StoreError, id: &AccountId) -> anyhow::Error {
    explain(error, || format!("account {id} does not exist"), String::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_follows_the_otpauth_format() {
        let read = |id: &str| uri(&AccountId::parse(id).unwrap(), "ABC234");
        assert_eq!(
            read("F50091"),
            "otpauth://totp/Florin:F50091?secret=ABC234&issuer=Florin&algorithm=SHA1&digits=6&period=30"
        );
        assert!(read("a b&c?").starts_with("otpauth://totp/Florin:a%20b%26c%3F?secret="), "{}", read("a b&c?"));
    }
}
