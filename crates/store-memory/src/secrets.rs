//! Encrypted secrets, and the key that the store is bound to.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{Secrets, StoreError, StoredSecret};
use std::sync::Arc;

#[async_trait]
impl Secrets for MemoryStore {
    async fn secret_key(&self) -> Result<Option<StoreKey>, StoreError> {
        Ok(self.read(|data| data.secret_key.clone()))
    }

    async fn bind_secret_key(&self, key: StoreKey) -> Result<StoreKey, StoreError> {
        self.change(|data| Ok(data.secret_key.get_or_insert(key).clone()))
    }

    async fn change_secret_key(&self, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> {
        self.change(|data| {
            let bound = data.secret_key.as_mut().filter(|bound| bound.id == from);
            Ok(bound.map(|bound| *bound = to).is_some())
        })
    }

    async fn page_secret(&self, new: SealedSecret) -> Result<SealedSecret, StoreError> {
        self.change(|data| Ok(data.page_secret.get_or_insert(new).clone()))
    }

    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError> {
        Ok(self.read(|data| {
            let totp = data.enrolments.values();
            let totp = totp.map(|enrolment| (SecretOwner::Totp(enrolment.account.clone()), &enrolment.secret));
            let webhooks = data.webhooks.values().chain(data.deleted_webhooks.values().map(|(webhook, _)| webhook));
            let webhooks = webhooks.map(|webhook| (SecretOwner::Webhook(webhook.id), &webhook.secrets));
            let endpoints = data.accounts.values().filter_map(|account| account.decision_endpoint.as_ref());
            let endpoints =
                endpoints.map(|endpoint| (SecretOwner::Decisions(endpoint.account.clone()), &endpoint.secrets));
            let pages = data.page_secret.iter().map(|secret| (SecretOwner::Pages, secret));
            let all = totp.chain(webhooks).chain(endpoints).chain(pages);
            let stored = |(owner, secret): (SecretOwner, &SealedSecret)| StoredSecret { owner, secret: secret.clone() };
            all.filter(|(_, secret)| filter.includes(secret)).take(max as usize).map(stored).collect()
        }))
    }

    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError> {
        self.change(|data| {
            let secret = match owner {
                SecretOwner::Totp(account) => data.enrolments.get_mut(account).map(|enrolment| &mut enrolment.secret),
                SecretOwner::Decisions(account) => {
                    let account = data.accounts.get_mut(account);
                    let endpoint = account.and_then(|account| account.decision_endpoint.as_mut());
                    endpoint.map(|endpoint| &mut Arc::make_mut(endpoint).secrets)
                }
                SecretOwner::Pages => data.page_secret.as_mut(),
                SecretOwner::Webhook(id) => {
                    let deleted = data.deleted_webhooks.get_mut(id).map(|(webhook, _)| webhook);
                    data.webhooks.get_mut(id).or(deleted).map(|webhook| &mut webhook.secrets)
                }
            };
            Ok(secret.filter(|secret| **secret == *old).map(|secret| *secret = new).is_some())
        })
    }
}
