//! Merchant profiles and logos.

use crate::MemoryStore;
use crate::data::Data;
use crate::idempotency::once;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, LogoId};
use florin_domain::merchant::{EditProfileRefusal, Logo, MerchantProfile};
use florin_ports::{Merchants, ProfileCommand, SetLogoCommand, StoreError, WriteError, Written};
use std::convert::Infallible;

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
                let stored_or_default = profile(data, &command.account);
                let account = data.accounts.get_mut(&command.account).ok_or(WriteError::Absent)?;
                let profile = match stored_or_default {
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

    async fn set_logo(&self, command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>> {
        let SetLogoCommand { logo, claim } = command;
        self.decide(|data| {
            once(data, claim.as_ref(), |data| {
                let profile = profile(data, &logo.account).ok_or(WriteError::Absent)?;
                let id = logo.id;
                if data.merchants.logos.values().any(|known| known.id == id) {
                    return Err(StoreError::Duplicate(format!("{id:?}")).into());
                }
                data.merchants.logos.insert(logo.account.clone(), logo);
                Ok(MerchantProfile { logo: Some(id), ..profile })
            })
        })
    }

    async fn logo(&self, logo: LogoId) -> Result<Option<Logo>, StoreError> {
        Ok(self.read(|data| data.merchants.logos.values().find(|known| known.id == logo).cloned()))
    }
}

/// Returns the profile of an account, or the default profile if the merchant never changed it. `None`: the account has
/// no profile.
pub(crate) fn profile(data: &Data, account: &AccountId) -> Option<MerchantProfile> {
    let stored = data.merchants.profiles.get(account).cloned();
    let profile = stored.or_else(|| {
        let account = data.accounts.get(account).filter(|account| account.merchant)?;
        Some(MerchantProfile::new(account.id.clone(), &account.name))
    })?;
    Some(MerchantProfile { logo: data.merchants.logos.get(account).map(|logo| logo.id), ..profile })
}
