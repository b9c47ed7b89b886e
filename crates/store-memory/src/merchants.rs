//! Merchant profiles.

use crate::MemoryStore;
use crate::data::Data;
use crate::idempotency::once;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{EditProfileRefusal, MerchantProfile};
use florin_ports::{Merchants, ProfileCommand, StoreError, WriteError, Written};

#[async_trait]
impl Merchants for MemoryStore {
    async fn find(&self, account: &AccountId) -> Result<Option<MerchantProfile>, StoreError> {
        Ok(self.read(|data| profile(data, account)))
    }

    async fn change(
        &self,
        command: ProfileCommand,
    ) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let known = profile(data, &command.account);
                let account = data.accounts.get_mut(&command.account).ok_or(WriteError::Absent)?;
                let profile = match known {
                    Some(profile) => profile,
                    None if command.creates => MerchantProfile::new(account.id.clone(), &account.name),
                    None => return Err(WriteError::Absent),
                };
                let changed = (command.decide)(&profile).map_err(WriteError::Refused)?;
                account.merchant = true;
                if changed != profile || data.merchants.profiles.contains_key(&command.account) {
                    data.merchants.profiles.insert(command.account.clone(), changed.clone());
                }
                Ok(changed)
            })
        })
    }
}

/// Returns the profile of an account: as stored, or that of a merchant that was never changed.
pub(crate) fn profile(data: &Data, account: &AccountId) -> Option<MerchantProfile> {
    let stored = data.merchants.profiles.get(account).cloned();
    stored.or_else(|| {
        let account = data.accounts.get(account).filter(|account| account.merchant)?;
        Some(MerchantProfile::new(account.id.clone(), &account.name))
    })
}
