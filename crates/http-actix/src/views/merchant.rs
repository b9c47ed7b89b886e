//! Merchants, settlement accounts and payees.

use super::{Sum, Time};
use florin_domain::checkout::PaymentsSummary;
use florin_domain::merchant::{
    BankDetails, Colour, MerchantPermission, MerchantProfile, Payee, SettlementAccountOverview,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The merchant profile of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Merchant)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MerchantView {
    account_id: String,
    /// The name that payers see.
    name: String,
    #[schema(pattern = "^(ACTIVE|DEACTIVATED)$")]
    status: &'static str,
    /// The address of the logo, a PNG of 512 x 512 pixels. It needs no API key, and each upload has a new one.
    #[schema(required, nullable, format = "uri")]
    logo_url: Option<String>,
    /// The address of the return policy.
    #[schema(required, nullable, format = "uri", max_length = 2048, pattern = "^https://")]
    return_policy_url: Option<String>,
    branding: BrandingView,
    branding_permissions: BrandingPermissionsView,
    /// Whether the merchant may create `TOP_UP` checkouts.
    can_create_top_up_checkouts: bool,
    reconciliation: ReconciliationView,
    /// Sums of the COMPLETED payments and refunds by currency, with `include=paymentsSummary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    payments_summary: Option<Vec<PaymentsSummaryView>>,
}

/// The COMPLETED payments and refunds of a merchant in one currency. Top-ups are payments too.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentsSummary)]
#[serde(rename_all = "camelCase")]
struct PaymentsSummaryView {
    /// ISO 4217, alphabetic.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    /// The sum of the payments.
    #[schema(value_type = String)]
    paid_amount: Sum,
    /// The sum of the refunds.
    #[schema(value_type = String)]
    refunded_amount: Sum,
    /// The number of payments.
    #[schema(minimum = 0)]
    count: i64,
}

/// The look of the payment page.
#[derive(Serialize, ToSchema)]
#[schema(as = Branding)]
#[serde(rename_all = "camelCase")]
struct BrandingView {
    /// The colour of buttons.
    #[schema(pattern = "^#[0-9a-f]{6}$")]
    primary_colour: String,
    /// The colour of the page.
    #[schema(pattern = "^#[0-9a-f]{6}$")]
    background_colour: String,
    /// Whether the logo of the service is hidden.
    hide_service_logo: bool,
}

/// Permissions for the branding.
#[derive(Serialize, ToSchema)]
#[schema(as = BrandingPermissions)]
#[serde(rename_all = "camelCase")]
struct BrandingPermissionsView {
    can_customise_colours: bool,
    can_hide_service_logo: bool,
}

/// The reconciliation of payments.
#[derive(Serialize, ToSchema)]
#[schema(as = Reconciliation)]
struct ReconciliationView {
    enabled: bool,
}

impl MerchantView {
    /// Shows a profile, with the address of its logo.
    pub(crate) fn new(profile: &MerchantProfile, logo_url: Option<String>) -> Self {
        let branding = profile.branding;
        Self {
            account_id: profile.account.to_string(),
            name: profile.name.clone(),
            status: profile.status.as_str(),
            logo_url,
            return_policy_url: profile.return_policy_url.as_ref().map(|url| url.as_str().to_owned()),
            branding: BrandingView {
                primary_colour: branding.primary.unwrap_or(Colour::PRIMARY).to_string(),
                background_colour: branding.background.unwrap_or(Colour::WHITE).to_string(),
                hide_service_logo: branding.hide_service_logo,
            },
            branding_permissions: BrandingPermissionsView {
                can_customise_colours: profile.may(MerchantPermission::CustomiseColours),
                can_hide_service_logo: profile.may(MerchantPermission::HideServiceLogo),
            },
            can_create_top_up_checkouts: profile.may(MerchantPermission::CreateTopUpCheckouts),
            reconciliation: ReconciliationView { enabled: profile.may(MerchantPermission::Reconciliation) },
            payments_summary: None,
        }
    }

    /// Adds the sums of the payments.
    pub(crate) fn with_payments_summary(self, sums: &[PaymentsSummary]) -> Self {
        let view = |of: &PaymentsSummary| PaymentsSummaryView {
            currency_code: of.currency.code(),
            paid_amount: Sum(of.paid.of(of.currency)),
            refunded_amount: Sum(of.refunded.of(of.currency)),
            count: of.count,
        };
        Self { payments_summary: Some(sums.iter().map(view).collect()), ..self }
    }
}

/// A bank account, masked: a star for each hidden character.
#[derive(Serialize, ToSchema)]
#[schema(as = BankDetails)]
#[serde(rename_all = "camelCase")]
struct BankDetailsView {
    #[serde(rename = "type")]
    #[schema(pattern = "^(SORT_CODE|IBAN)$")]
    kind: &'static str,
    /// With the type `SORT_CODE`: its last two digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[*]{4}[0-9]{2}$")]
    sort_code: Option<String>,
    /// With the type `SORT_CODE`: its last four digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[*]{4}[0-9]{4}$")]
    account_number: Option<String>,
    /// With the type `IBAN`: its country and its last four characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Z]{2}[*]+[A-Z0-9]{4}$")]
    iban: Option<String>,
}

impl From<&BankDetails> for BankDetailsView {
    fn from(details: &BankDetails) -> Self {
        let kind = details.details_type().as_str();
        match details.masked() {
            BankDetails::SortCode { sort_code, account_number } => {
                Self { kind, sort_code: Some(sort_code), account_number: Some(account_number), iban: None }
            }
            BankDetails::Iban(iban) => Self { kind, sort_code: None, account_number: None, iban: Some(iban) },
        }
    }
}

/// A bank account of the merchant, which receives the money of SHOPPING checkouts.
#[derive(Serialize, ToSchema)]
#[schema(as = SettlementAccount)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementAccountView {
    #[schema(format = Uuid, max_length = 36)]
    id: String,
    /// The merchant's name for it.
    #[schema(required, nullable)]
    name: Option<String>,
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    bank_details: BankDetailsView,
    /// The bank that refunds are paid from; null until it is set, and while the bank is not on the bank list.
    #[schema(required, nullable, pattern = "^[0-9a-f]{32}$")]
    bank_id: Option<String>,
    /// The name of that bank.
    #[schema(required, nullable)]
    bank_name: Option<String>,
    #[schema(pattern = "^(PENDING|APPROVED|REJECTED)$")]
    approval_status: &'static str,
    /// Whether checkouts of its currency that name no settlement account pay into it.
    is_default: bool,
    /// The checkouts that pay into it.
    checkout_ids: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

impl From<&SettlementAccountOverview> for SettlementAccountView {
    fn from(SettlementAccountOverview { account, bank, checkouts }: &SettlementAccountOverview) -> Self {
        Self {
            id: account.id.to_string(),
            name: account.name.clone(),
            currency_code: account.details.currency().as_str(),
            bank_details: BankDetailsView::from(&account.details),
            bank_id: bank.as_ref().map(|bank| bank.id.to_string()),
            bank_name: bank.as_ref().map(|bank| bank.name.clone()),
            approval_status: account.approval.as_str(),
            is_default: account.is_default,
            checkout_ids: checkouts.iter().map(ToString::to_string).collect(),
            created_at: Time(account.created_at),
            updated_at: Time(account.updated_at),
        }
    }
}

/// A bank account of somebody whom the merchant pays.
#[derive(Serialize, ToSchema)]
#[schema(as = Payee)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayeeView {
    #[schema(format = Uuid, max_length = 36)]
    id: String,
    name: String,
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    bank_details: BankDetailsView,
    #[schema(pattern = "^(PENDING|APPROVED|REJECTED)$")]
    approval_status: &'static str,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

impl From<&Payee> for PayeeView {
    fn from(payee: &Payee) -> Self {
        Self {
            id: payee.id.to_string(),
            name: payee.name.clone(),
            currency_code: payee.details.currency().as_str(),
            bank_details: BankDetailsView::from(&payee.details),
            approval_status: payee.approval.as_str(),
            created_at: Time(payee.created_at),
            updated_at: Time(payee.updated_at),
        }
    }
}
