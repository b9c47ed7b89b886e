//! Manages the decision endpoint of an account.

use crate::Services;
use crate::consult::open_secrets;
use crate::webhooks::new_signing_secret;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::card::{
    DecisionEndpoint, EndpointChange, EndpointRefusal, EndpointSettings, put_endpoint, remove_endpoint, rotate_endpoint,
};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::webhook::{OverlapHours, SigningSecret, WebhookSecrets};
use florin_ports::{ClientClaim, EndpointCommand, StoreError, WriteError, Written};
use std::sync::Arc;

/// Maximum number of attempts at a rotation. An attempt fails if another request changes the endpoint meanwhile.
const ATTEMPTS: u32 = 5;

/// The result of a change, with a value for the response.
type Changed<T> = Result<(Written<EndpointChange>, T), WriteError<EndpointRefusal>>;

/// Returns the endpoint of an account. `None`: it has none.
pub async fn find_endpoint(services: &Services, account: &Account) -> Result<Option<DecisionEndpoint>, StoreError> {
    services.decisions.endpoints.endpoint(&account.id).await
}

/// Sets the endpoint of an account. Also returns the signing secret that is used if the endpoint is new.
pub async fn set_endpoint(
    services: &Services,
    account: &Account,
    settings: EndpointSettings,
    claim: Option<ClientClaim<EndpointChange>>,
) -> Changed<SigningSecret> {
    let secrets = WebhookSecrets::new(new_signing_secret(services.keys.as_ref(), services.environment)?, None, None);
    let now = services.time.now_of(account);
    let new = DecisionEndpoint {
        account: account.id.clone(),
        settings,
        secrets: seal(services, account, &secrets)?,
        created_at: now,
        updated_at: now,
    };
    let decide = Arc::new(move |current: &Option<DecisionEndpoint>| Ok(put_endpoint(current.as_ref(), &new)));
    let command = EndpointCommand { account: account.id.clone(), decide, claim };
    Ok((change(services, command).await?, secrets.current))
}

/// Removes the endpoint of an account. Then the rules of Florin decide alone.
pub async fn delete_endpoint(
    services: &Services,
    account: &Account,
    claim: Option<ClientClaim<EndpointChange>>,
) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>> {
    let decide = Arc::new(|current: &Option<DecisionEndpoint>| remove_endpoint(current.as_ref()));
    change(services, EndpointCommand { account: account.id.clone(), decide, claim }).await
}

/// Replaces the signing secret of an endpoint. Returns the new secret, and when the previous one ends. Secrets are
/// decrypted before the change, so the change is tried again if another request changes them meanwhile.
pub async fn rotate_endpoint_secret(
    services: &Services,
    account: &Account,
    overlap: OverlapHours,
    claim: Option<ClientClaim<EndpointChange>>,
) -> Changed<(SigningSecret, Option<DateTime<Utc>>)> {
    let mut attempt = 1;
    loop {
        let new = new_signing_secret(services.keys.as_ref(), services.environment)?;
        // Signatures use real time.
        let until = overlap.after(services.time.real_now());
        let seen = find_endpoint(services, account).await?;
        let now = services.time.now_of(account);
        let decide: Arc<dyn Fn(&Option<DecisionEndpoint>) -> _ + Send + Sync> = match seen {
            // The command runs even without an endpoint: an earlier request with the same idempotency key may have a
            // stored response.
            None => Arc::new(|_| Err(EndpointRefusal::Absent)),
            Some(seen) => {
                let secrets = open_secrets(services.cipher.as_ref(), &seen)?.rotated(new.clone(), until);
                let sealed = seal(services, account, &secrets)?;
                Arc::new(move |current| rotate_endpoint(current.as_ref(), (&seen.secrets, &sealed), now))
            }
        };
        let command = EndpointCommand { account: account.id.clone(), decide, claim: claim.clone() };
        match change(services, command).await {
            Err(WriteError::Refused(EndpointRefusal::Changed)) if attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error),
            Ok(written) => return Ok((written, (new, until))),
        }
    }
}

/// Changes the endpoint. Later requests to this process use the changed endpoint.
async fn change(
    services: &Services,
    command: EndpointCommand,
) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>> {
    let account = command.account.clone();
    let written = services.decisions.endpoints.change_endpoint(command).await;
    services.accounts.forget(&account);
    written
}

fn seal(services: &Services, account: &Account, secrets: &WebhookSecrets) -> Result<SealedSecret, StoreError> {
    Ok(services.cipher.seal(&SecretOwner::Decisions(account.id.clone()), &secrets.encode())?)
}
