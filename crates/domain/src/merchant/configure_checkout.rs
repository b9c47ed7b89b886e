//! Decisions about checkouts: creating and changing them.

use super::{
    Checkout, CheckoutKind, CheckoutStatus, CheckoutTarget, CheckoutType, Locale, MerchantCurrency, MerchantPermission,
    MerchantProfile, SettlementAccount, ShippingOptions, WebUrl,
};
use crate::ids::{AccountId, CheckoutId, SettlementAccountId};
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Utc};

/// Default maximum number of checkouts of an account.
pub const MAX_CHECKOUTS: u64 = 10_000;

/// The situation for the creation of a checkout, and the part of [`EditCheckoutSituation`] about the merchant. An
/// adapter loads it under the lock that serializes changes of a merchant.
#[derive(Clone, Debug)]
pub struct CheckoutSituation {
    /// The merchant's profile.
    pub profile: MerchantProfile,
    /// All settlement accounts of the merchant.
    pub accounts: Vec<SettlementAccount>,
    /// Number of checkouts of the merchant.
    pub checkouts: u64,
}

/// The situation for a change of an existing checkout.
#[derive(Clone, Debug)]
pub struct EditCheckoutSituation {
    /// The merchant's profile, settlement accounts and number of checkouts.
    pub merchant: CheckoutSituation,
    /// The checkout.
    pub checkout: Checkout,
}

/// A request to create a checkout, with the new id and the time.
#[derive(Clone, Debug)]
pub struct CheckoutRequest {
    /// The id of the new checkout.
    pub id: CheckoutId,
    /// The merchant's account.
    pub account: AccountId,
    /// The type, with the data that only this type has.
    pub kind: CheckoutKind,
    /// The merchant's name for the checkout.
    pub name: Text<1, 64>,
    /// The currency.
    pub currency: Currency,
    /// The URL to which the payer is redirected when a session ends.
    pub return_url: WebUrl,
    /// The default locale of the payment pages.
    pub locale: Option<Locale>,
    /// The time of creation.
    pub now: DateTime<Utc>,
    /// Maximum number of checkouts of an account.
    pub max_checkouts: u64,
}

/// A change of a checkout. `None` fields do not change; `Some(None)` clears a value.
#[derive(Clone, Debug, Default)]
pub struct CheckoutEdit {
    /// The merchant's name for the checkout.
    pub name: Option<Text<1, 64>>,
    /// Whether the checkout accepts new sessions.
    pub status: Option<CheckoutStatus>,
    /// The URL to which the payer is redirected when a session ends.
    pub return_url: Option<WebUrl>,
    /// The default locale of the payment pages.
    pub locale: Option<Option<Locale>>,
    /// The settlement account; `Some(None)` for the default one.
    pub settlement_account: Option<Option<SettlementAccountId>>,
    /// The options for collecting shipping data.
    pub shipping: Option<Option<ShippingOptions>>,
}

/// A field of a request that only SHOPPING checkouts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShoppingMember {
    /// The settlement account.
    SettlementAccount,
    /// The options for collecting shipping data.
    ShippingOptions,
}

/// Reasons to refuse the creation or change of a checkout. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckoutRefusal {
    /// The merchant may not create `TOP_UP` checkouts.
    #[error("the merchant may not create TOP_UP checkouts")]
    TopUpNotEnabled,
    /// The account has no settlement account with the id in the request.
    #[error("no such settlement account")]
    NoSettlementAccount,
    /// The settlement account in the request is not APPROVED.
    #[error("the settlement account is not APPROVED")]
    NotApproved,
    /// The settlement account in the request receives another currency.
    #[error("the settlement account receives {}", .0.as_str())]
    OtherCurrency(MerchantCurrency),
    /// The request names no settlement account, and the currency has no default one.
    #[error("no APPROVED settlement account receives the currency")]
    NoDefault,
    /// The account has the maximum number of checkouts.
    #[error("an account has at most {max} checkouts")]
    TooMany {
        /// The maximum.
        max: u64,
    },
    /// The request has fields that a `TOP_UP` checkout does not have.
    #[error("a TOP_UP checkout has no such member")]
    ShoppingMembers(Vec<ShoppingMember>),
}

/// Decides the creation of a checkout, which is then ACTIVE.
///
/// ```
/// use florin_domain::merchant::{CheckoutKind, CheckoutRefusal, CheckoutSituation, decide_create_checkout};
/// use florin_domain::test_support::{a_checkout, a_checkout_request, a_merchant, a_settlement_account};
///
/// let mut account = a_settlement_account(1);
/// account.is_default = true;
/// let situation = CheckoutSituation { profile: a_merchant(), accounts: vec![account], checkouts: 0 };
/// let shopping = CheckoutKind::Shopping { settlement_account: None, shipping: None };
/// let checkout = decide_create_checkout(&situation, &a_checkout_request(shopping)).unwrap();
/// assert_eq!(checkout, a_checkout());
///
/// let refused = decide_create_checkout(&situation, &a_checkout_request(CheckoutKind::TopUp));
/// assert_eq!(refused, Err(CheckoutRefusal::TopUpNotEnabled));
/// ```
pub fn decide_create_checkout(
    situation: &CheckoutSituation,
    request: &CheckoutRequest,
) -> Result<Checkout, CheckoutRefusal> {
    let checkout = Checkout {
        id: request.id,
        account: request.account.clone(),
        kind: request.kind.clone(),
        name: Some(request.name.as_str().to_owned()),
        status: CheckoutStatus::Active,
        currency: request.currency,
        return_url: request.return_url.clone(),
        locale: request.locale.clone(),
        created_at: request.now,
        updated_at: request.now,
    };
    match CheckoutTarget::of(&checkout) {
        None if !situation.profile.may(MerchantPermission::CreateTopUpCheckouts) => {
            return Err(CheckoutRefusal::TopUpNotEnabled);
        }
        Some(CheckoutTarget { named_account: Some(named), currency, .. }) => {
            check_settlement_account(situation, named, currency)?;
        }
        Some(default) if !situation.accounts.iter().any(|account| default.pays_into(account)) => {
            return Err(CheckoutRefusal::NoDefault);
        }
        _ => {}
    }
    if situation.checkouts >= request.max_checkouts {
        return Err(CheckoutRefusal::TooMany { max: request.max_checkouts });
    }
    Ok(checkout)
}

/// Decides a change of a checkout. A change without effect does not change `updated_at`.
///
/// ```
/// use florin_domain::merchant::{
///     CheckoutEdit, CheckoutRefusal, CheckoutSituation, CheckoutStatus, EditCheckoutSituation, decide_edit_checkout,
/// };
/// use florin_domain::test_support::{a_checkout, a_merchant, a_settlement_account, noon};
///
/// let merchant = CheckoutSituation { profile: a_merchant(), accounts: Vec::new(), checkouts: 1 };
/// let situation = EditCheckoutSituation { merchant, checkout: a_checkout() };
/// let edit = CheckoutEdit { status: Some(CheckoutStatus::Deactivated), ..CheckoutEdit::default() };
/// let edited = decide_edit_checkout(&situation, &edit, noon()).unwrap();
/// assert_eq!(edited.status, CheckoutStatus::Deactivated);
///
/// let edit = CheckoutEdit { settlement_account: Some(Some(a_settlement_account(1).id)), ..edit };
/// let refused = decide_edit_checkout(&situation, &edit, noon());
/// assert_eq!(refused, Err(CheckoutRefusal::NoSettlementAccount));
/// ```
pub fn decide_edit_checkout(
    situation: &EditCheckoutSituation,
    edit: &CheckoutEdit,
    now: DateTime<Utc>,
) -> Result<Checkout, CheckoutRefusal> {
    let EditCheckoutSituation { merchant, checkout } = situation;
    let mut edited = checkout.clone();
    match &mut edited.kind {
        CheckoutKind::Shopping { settlement_account, shipping } => {
            if let Some(target) = edit.settlement_account {
                if let Some(named) = target.filter(|named| *settlement_account != Some(*named)) {
                    check_settlement_account(merchant, named, checkout.currency)?;
                }
                *settlement_account = target;
            }
            if let Some(options) = &edit.shipping {
                shipping.clone_from(options);
            }
        }
        CheckoutKind::TopUp => {
            let (target, shipping) = (edit.settlement_account.flatten(), edit.shipping.clone().flatten());
            checkout_kind(CheckoutType::TopUp, target, shipping).map_err(CheckoutRefusal::ShoppingMembers)?;
        }
    }
    if let Some(name) = &edit.name {
        edited.name = Some(name.as_str().to_owned());
    }
    edited.status = edit.status.unwrap_or(checkout.status);
    if let Some(url) = &edit.return_url {
        edited.return_url.clone_from(url);
    }
    if let Some(locale) = &edit.locale {
        edited.locale.clone_from(locale);
    }
    if edited != *checkout {
        edited.updated_at = now;
    }
    Ok(edited)
}

/// Creates the kind of a checkout from the fields of a request. Refuses fields that only the other type has.
pub fn checkout_kind(
    checkout_type: CheckoutType,
    settlement_account: Option<SettlementAccountId>,
    shipping: Option<ShippingOptions>,
) -> Result<CheckoutKind, Vec<ShoppingMember>> {
    match checkout_type {
        CheckoutType::Shopping => Ok(CheckoutKind::Shopping { settlement_account, shipping }),
        CheckoutType::TopUp => {
            let sent = [
                settlement_account.map(|_| ShoppingMember::SettlementAccount),
                shipping.map(|_| ShoppingMember::ShippingOptions),
            ];
            let sent: Vec<_> = sent.into_iter().flatten().collect();
            if sent.is_empty() { Ok(CheckoutKind::TopUp) } else { Err(sent) }
        }
    }
}

fn check_settlement_account(
    situation: &CheckoutSituation,
    named: SettlementAccountId,
    currency: Currency,
) -> Result<(), CheckoutRefusal> {
    let account = situation.accounts.iter().find(|account| account.id == named);
    let account = account.ok_or(CheckoutRefusal::NoSettlementAccount)?;
    if !account.receives(currency) {
        return Err(CheckoutRefusal::OtherCurrency(account.details.currency()));
    }
    if account.is_approved() { Ok(()) } else { Err(CheckoutRefusal::NotApproved) }
}

#[cfg(test)]
#[path = "configure_checkout_tests.rs"]
mod tests;
