//! Bugs in encrypted secrets.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{MfaSessions, Secrets, StoreError, StoredSecret, Webhooks};

#[async_trait]
impl Secrets for Mutant {
    async fn secret_key(&self) -> Result<Option<StoreKey>, StoreError> {
        self.inner.secret_key().await
    }

    async fn bind_secret_key(&self, key: StoreKey) -> Result<StoreKey, StoreError> {
        let bound = self.inner.bind_secret_key(key.clone()).await?;
        if self.has(Bug::SecretKeyOverwritten) {
            self.inner.change_secret_key(bound.id, key.clone()).await?;
            return Ok(key);
        }
        Ok(bound)
    }

    async fn change_secret_key(&self, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> {
        let from = match self.inner.secret_key().await? {
            Some(bound) if self.has(Bug::SecretKeyChangedBlindly) => bound.id,
            _ => from,
        };
        self.inner.change_secret_key(from, to).await
    }

    async fn page_secret(&self, new: SealedSecret) -> Result<SealedSecret, StoreError> {
        let stored = self.inner.page_secret(new.clone()).await?;
        if self.has(Bug::PageSecretOverwritten) {
            self.inner.replace_secret(&SecretOwner::Pages, &stored, new.clone()).await?;
            return Ok(new);
        }
        Ok(stored)
    }

    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError> {
        let max = if self.has(Bug::SecretsUnbounded) { u32::MAX } else { max };
        let any = SecretFilter::NotUnder(SecretKeyId([255; 8]));
        let mut found = self.inner.secrets(if self.has(Bug::SecretsUnfiltered) { any } else { filter }, max).await?;
        if self.has(Bug::EndpointSecretsForgotten) {
            found.retain(|stored| !matches!(stored.owner, SecretOwner::Decisions(_)));
        }
        if self.has(Bug::SecretsOfDeletedWebhooksKept) {
            let webhooks = self.inner.all().await?;
            let is_stored = |id| webhooks.iter().any(|webhook| webhook.id == id);
            found.retain(|stored| !matches!(stored.owner, SecretOwner::Webhook(id) if !is_stored(id)));
        }
        Ok(found)
    }

    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError> {
        let SecretOwner::Totp(account) = owner else {
            return self.inner.replace_secret(owner, old, new).await;
        };
        let old = match self.inner.enrolment(account).await? {
            Some(enrolment) if self.has(Bug::SecretReplacedBlindly) => enrolment.secret,
            _ => old.clone(),
        };
        self.inner.replace_secret(owner, &old, new).await
    }
}
