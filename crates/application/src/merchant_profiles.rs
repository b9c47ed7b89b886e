//! Changes merchant profiles.

use crate::MerchantServices;
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, LogoId};
use florin_domain::merchant::{
    EditProfileRefusal, Logo, MerchantProfile, OperatorEdit, ProfileEdit, decide_edit_profile, edit_profile_by_operator,
};
use florin_ports::{IdempotencyClaim, Merchants, ProfileCommand, SetLogoCommand, WriteError, Written};
use std::convert::Infallible;
use std::sync::Arc;

/// Changes the merchant profile of an account, as the merchant requested.
pub async fn edit_merchant(
    services: &MerchantServices,
    account: &Account,
    edit: ProfileEdit,
    claim: Option<IdempotencyClaim<MerchantProfile>>,
) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
    let decide = Arc::new(move |profile: &MerchantProfile| decide_edit_profile(profile, &edit));
    let command = ProfileCommand { account: account.id.clone(), creates: false, decide, claim };
    services.merchants.change(command).await
}

/// Stores a PNG as the logo of the account, under a new id. [`florin_ports::LogoImages`] must have created the PNG.
pub async fn set_logo(
    services: &MerchantServices,
    account: &Account,
    png: Vec<u8>,
    claim: Option<IdempotencyClaim<MerchantProfile>>,
) -> Result<Written<MerchantProfile>, WriteError<Infallible>> {
    let clock = services.clock_of(account).await?;
    let id = LogoId::of_image(clock.next_id(), &png);
    let logo = Logo { id, account: account.id.clone(), png, created_at: clock.now() };
    services.merchants.set_logo(SetLogoCommand { logo, claim }).await
}

/// Changes the merchant profile of an account, as the operator requested. Creates a missing profile.
pub async fn administer_merchant(
    merchants: &(impl Merchants + ?Sized),
    account: AccountId,
    edit: OperatorEdit,
    claim: Option<IdempotencyClaim<MerchantProfile>>,
) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
    let decide = Arc::new(move |profile: &MerchantProfile| Ok(edit_profile_by_operator(profile, &edit)));
    merchants.change(ProfileCommand { account, creates: true, decide, claim }).await
}
