//! Subscriptions to events.

use crate::MemoryStore;
use crate::data::{Data, add};
use crate::stored::ClientRecord;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::WebhookId;
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{ShownOnce, Webhook, WebhookRefusal};
use florin_ports::{
    ChangeWebhookCommand, ClientClaim, CreateWebhookCommand, StoreError, WebhookReach, Webhooks, WriteError, Written,
};

/// Runs the work under a client's idempotency claim, or replays the stored response. If the record has no response, the
/// retry is refused with [`ShownOnce`], because the response contained a secret.
pub(crate) fn under_claim<T, R: From<ShownOnce>>(
    data: &mut Data,
    claim: Option<&ClientClaim<T>>,
    work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    under_claim_or(data, claim, || WriteError::Refused(R::from(ShownOnce)), work)
}

/// Does the same as [`under_claim`] for an operation that stores all its responses.
pub(crate) fn once_for_client<T, R>(
    data: &mut Data,
    claim: Option<&ClientClaim<T>>,
    work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    under_claim_or(data, claim, || StoreError::Corrupt("a record has no response".into()).into(), work)
}

fn under_claim_or<T, R>(
    data: &mut Data,
    claim: Option<&ClientClaim<T>>,
    no_response: impl FnOnce() -> WriteError<R>,
    work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    let Some(claim) = claim else { return work(data).map(Written::New) };
    let key = (claim.client, claim.key.as_str().to_owned());
    if let Some(record) = data.client_records.get(&key) {
        if record.request != claim.request {
            return Err(WriteError::Mismatch(Box::new(record.request.clone())));
        }
        return record.response.clone().map(Written::Replayed).ok_or_else(no_response);
    }
    let done = work(data)?;
    let record = ClientRecord { request: claim.request.clone(), response: (claim.response)(&done), at: claim.at };
    data.client_records.insert(key, record);
    Ok(Written::New(done))
}

/// Runs work on a subscription under a client's idempotency claim. A caller that does not reach the subscription gets
/// `Absent`, even if a response is stored.
pub(crate) fn under_claim_on<T>(
    data: &mut Data,
    (reach, id): (&WebhookReach, WebhookId),
    claim: Option<&ClientClaim<T>>,
    work: impl FnOnce(&mut Data, Webhook) -> Result<T, WriteError<WebhookRefusal>>,
) -> Result<Written<T>, WriteError<WebhookRefusal>> {
    let deleted = || data.deleted_webhooks.get(&id).map(|(webhook, _)| webhook);
    let is_reached = match data.webhooks.get(&id).or_else(deleted) {
        Some(webhook) => reach.includes(webhook),
        None => reach.is_of_client(),
    };
    if !is_reached {
        return Err(WriteError::Absent);
    }
    under_claim(data, claim, |data| {
        let webhook = reached(data, reach, id)?;
        work(data, webhook)
    })
}

/// Finds a subscription in reach.
fn reached(data: &Data, reach: &WebhookReach, id: WebhookId) -> Result<Webhook, WriteError<WebhookRefusal>> {
    let found = data.webhooks.get(&id).filter(|webhook| reach.includes(webhook));
    found.cloned().ok_or(WriteError::Absent)
}

fn in_order(mut webhooks: Vec<Webhook>) -> Vec<Webhook> {
    webhooks.sort_by_key(|webhook| (webhook.created_at, webhook.id));
    webhooks
}

#[async_trait]
impl Webhooks for MemoryStore {
    async fn create(&self, command: CreateWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            under_claim(data, command.claim.as_ref(), |data| {
                let webhook = &command.webhook;
                let existing = data.webhooks.values().filter(|other| other.client == webhook.client).count();
                (command.decide)(&u32::try_from(existing).unwrap_or(u32::MAX)).map_err(WriteError::Refused)?;
                add(&mut data.webhooks, webhook.id, webhook.clone())?;
                Ok(webhook.clone())
            })
        })
    }

    async fn change(&self, command: ChangeWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            under_claim_on(data, (&command.reach, command.id), command.claim.as_ref(), |data, webhook| {
                let changed = (command.decide)(&webhook).map_err(WriteError::Refused)?;
                data.webhooks.insert(command.id, changed.clone());
                Ok(changed)
            })
        })
    }

    async fn delete(
        &self,
        reach: WebhookReach,
        id: WebhookId,
        now: DateTime<Utc>,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        self.decide(|data| {
            under_claim_on(data, (&reach, id), claim.as_ref(), |data, webhook| {
                data.webhooks.remove(&id);
                data.deleted_webhooks.insert(id, (webhook, now));
                Ok(())
            })
        })
    }

    async fn find(&self, reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        Ok(self.read(|data| reached(data, &reach, id).ok()))
    }

    async fn list(&self, reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError> {
        let found =
            self.read(|data| data.webhooks.values().filter(|webhook| reach.includes(webhook)).cloned().collect());
        Ok(crate::pages::paginate(in_order(found), page))
    }

    async fn all(&self) -> Result<Vec<Webhook>, StoreError> {
        Ok(in_order(self.read(|data| data.webhooks.values().cloned().collect())))
    }
}
