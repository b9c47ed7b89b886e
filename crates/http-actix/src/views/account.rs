//! Accounts in responses.

use super::Time;
use florin_domain::access::AccountProfile;
use serde::Serialize;
use utoipa::ToSchema;

/// The optional members of an account to include.
#[derive(Clone, Copy)]
pub(crate) struct AccountParts {
    /// Whether to include `addresses`.
    pub(crate) addresses: bool,
    /// Whether to include `currencies`.
    pub(crate) currencies: bool,
    /// Whether to include `settings`.
    pub(crate) settings: bool,
}

/// An account: a business with its own budgets, cards and payment batches. All data belongs to one account.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountView {
    /// The id of the account.
    id: String,
    /// Always `Business`.
    #[schema(pattern = "^Business$")]
    r#type: &'static str,
    /// Always `active`.
    #[schema(pattern = "^active$")]
    status: &'static str,
    /// The business that the account belongs to.
    business: BusinessView,
    /// The features of the account.
    features: FeaturesView,
    /// When the account was created; null if that was before Florin recorded it.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    created_at: Option<Time>,
    /// Equals `createdAt`.
    #[schema(value_type = Option<String>, required, nullable, format = DateTime)]
    updated_at: Option<Time>,
    /// Always empty, because Florin stores no addresses of accounts. Only with `include=addresses`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    addresses: Option<Vec<String>>,
    /// The currencies that the account can hold, by code. Only with `include=currencies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    currencies: Option<Vec<AccountCurrencyView>>,
    /// The settings of the account. Only with `include=settings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    settings: Option<AccountSettingsView>,
}

/// The business that an account belongs to.
#[derive(Serialize, ToSchema)]
#[schema(as = Business)]
#[serde(rename_all = "camelCase")]
struct BusinessView {
    /// The id of the account.
    account_id: String,
    /// The name of the account.
    name: String,
}

/// The features of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountFeatures)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "these are the members of the original's record")]
struct FeaturesView {
    /// The id of the account.
    account_id: String,
    /// Always true.
    payments: bool,
    /// Always true.
    batch_payments: bool,
    /// Always true.
    cards: bool,
    /// Always `active`.
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
    /// The id of the account.
    account_id: String,
    /// ISO 4217, alphabetic.
    #[schema(pattern = "^[A-Z]{3}$")]
    currency_code: &'static str,
}

/// The settings of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountSettings)]
#[serde(rename_all = "camelCase")]
struct AccountSettingsView {
    /// The id of the account.
    account_id: String,
    /// Whether confirming a payment batch requires multi-factor authentication.
    mfa_required: bool,
    /// Whether the names of the account's budgets must be unique. Florin extension.
    unique_budget_names: bool,
}

impl AccountView {
    /// Builds the view of an account. `parts` selects the optional members.
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
            settings: parts.settings.then(|| AccountSettingsView {
                account_id: id.clone(),
                mfa_required: account.mfa_required,
                unique_budget_names: account.unique_budget_names,
            }),
            id,
        }
    }
}
