//! Changes merchant profiles.

use crate::MerchantServices;
use florin_domain::access::Account;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{
    EditProfileRefusal, MerchantProfile, OperatorEdit, ProfileEdit, decide_edit_profile, edit_profile_by_operator,
};
use florin_ports::{IdempotencyClaim, Merchants, ProfileCommand, WriteError, Written};
use std::sync::Arc;

/// Changes the profile of a merchant, for the merchant.
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

/// Changes the profile of a merchant, for the operator. Creates a missing profile.
pub async fn administer_merchant(
    merchants: &(impl Merchants + ?Sized),
    account: AccountId,
    edit: OperatorEdit,
    claim: Option<IdempotencyClaim<MerchantProfile>>,
) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
    let decide = Arc::new(move |profile: &MerchantProfile| Ok(edit_profile_by_operator(profile, &edit)));
    merchants.change(ProfileCommand { account, creates: true, decide, claim }).await
}
