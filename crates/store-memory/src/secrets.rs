//! Encrypted secrets, and the key that the store is bound to.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{Secrets, StoreError};

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

    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<(SecretOwner, SealedSecret)>, StoreError> {
        Ok(self.read(|data| {
            let others = data.enrolments.values().filter(|enrolment| filter.includes(&enrolment.secret));
            let others =
                others.map(|enrolment| (SecretOwner::Totp(enrolment.account.clone()), enrolment.secret.clone()));
            others.take(max as usize).collect()
        }))
    }

    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError> {
        self.change(|data| {
            let SecretOwner::Totp(account) = owner else { return Ok(false) };
            let enrolment = data.enrolments.get_mut(account).filter(|enrolment| enrolment.secret == *old);
            Ok(enrolment.map(|enrolment| enrolment.secret = new).is_some())
        })
    }
}
