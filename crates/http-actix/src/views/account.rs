//! Accounts.

use super::Time;
use florin_domain::access::AccountProfile;
use serde::Serialize;
use utoipa::ToSchema;

/// The optional parts of an account.
#[derive(Clone, Copy)]
pub(crate) struct AccountParts {
    /// `addresses`.
    pub(crate) addresses: bool,
    /// `currencies`.
    pub(crate) currencies: bool,
    /// `settings`.
    pub(crate) settings: bool,
}

/// An account.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountView {
    id: String,
    #[schema(pattern = "^Business$")]
    r#type: &'static str,
    #[schema(pattern = "^active$")]
    status: &'static str,
    business: BusinessView,
    features: FeaturesView,
    /// Null if the account is older than Florin's record of the time.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    created_at: Option<Time>,
    /// Equals `createdAt`.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    updated_at: Option<Time>,
    /// Always empty: accounts have no addresses here. With `include=addresses` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    addresses: Option<Vec<String>>,
    /// The currencies that the account can hold, by code. With `include=currencies` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    currencies: Option<Vec<AccountCurrencyView>>,
    /// With `include=settings` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    settings: Option<AccountSettingsView>,
}

/// The business that an account belongs to.
#[derive(Serialize, ToSchema)]
#[schema(as = Business)]
#[serde(rename_all = "camelCase")]
struct BusinessView {
    account_id: String,
    /// The name of the account.
    name: String,
}

/// What can be done with an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountFeatures)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "these are the members of the original's record")]
struct FeaturesView {
    account_id: String,
    payments: bool,
    batch_payments: bool,
    cards: bool,
    #[schema(pattern = "^active$")]
    virtual_cards: &'static str,
    /// Whether the account has a merchant profile. Florin extension.
    merchant: bool,
}

/// A currency that an account can hold.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountCurrency)]
#[serde(rename_all = "camelCase")]
struct AccountCurrencyView {
    account_id: String,
    #[schema(pattern = "^[A-Z]{3}$")]
    currency_code: &'static str,
}

/// The settings of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountSettings)]
#[serde(rename_all = "camelCase")]
struct AccountSettingsView {
    account_id: String,
    /// Whether confirming a payment batch requires multi-factor authentication.
    mfa_required: bool,
}

impl AccountView {
    /// Builds the view of an account with these parts.
    pub(crate) fn new(profile: AccountProfile, parts: AccountParts) -> Self {
        let AccountProfile { account, opened_at, currencies } = profile;
        let id = account.id.to_string();
        let opened_at = opened_at.map(Time);
        let currency = |currency: florin_domain::money::Currency| AccountCurrencyView {
            account_id: id.clone(),
            currency_code: currency.code(),
        };
        Self {
            r#type: "Business",
            status: "active",
            business: BusinessView { account_id: id.clone(), name: account.name },
            features: FeaturesView {
                account_id: id.clone(),
                payments: true,
                batch_payments: true,
                cards: true,
                virtual_cards: "active",
                merchant: account.merchant,
            },
            created_at: opened_at,
            updated_at: opened_at,
            addresses: parts.addresses.then(Vec::new),
            currencies: parts.currencies.then(|| currencies.into_iter().map(currency).collect()),
            settings: parts
                .settings
                .then(|| AccountSettingsView { account_id: id.clone(), mfa_required: account.mfa_required }),
            id,
        }
    }
}
