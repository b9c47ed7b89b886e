//! Merchants, settlement accounts and payees in responses.

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
    /// The id of the account.
    account_id: String,
    /// The name that payers see.
    name: String,
    /// The status of the profile.
    #[schema(pattern = "^(ACTIVE|DEACTIVATED)$")]
    status: &'static str,
    /// The URL of the logo, a PNG of 512 x 512 pixels; null if there is none. Reading it needs no API key. Each
    /// uploaded logo has a new URL.
    #[schema(required, nullable, format = "uri")]
    logo_url: Option<String>,
    /// The URL of the return policy; null if there is none.
    #[schema(required, nullable, format = "uri", max_length = 2048, pattern = "^https://")]
    return_policy_url: Option<String>,
    /// The look of the payment pages.
    branding: BrandingView,
    /// The permissions to change the look of the payment pages.
    branding_permissions: BrandingPermissionsView,
    /// Whether the merchant may create `TOP_UP` checkouts.
    can_create_top_up_checkouts: bool,
    /// Whether payments are reconciled.
    reconciliation: ReconciliationView,
    /// The sums of the COMPLETED payments and refunds, by currency. Only with `include=paymentsSummary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    payments_summary: Option<Vec<PaymentsSummaryView>>,
}

/// The COMPLETED payments and refunds of a merchant in one currency. Payments of top-ups are included.
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

/// The look of the payment pages.
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
    /// Whether Florin's logo is hidden on the payment pages.
    hide_service_logo: bool,
}

/// The permissions to change the look of the payment pages. The operator grants them.
#[derive(Serialize, ToSchema)]
#[schema(as = BrandingPermissions)]
#[serde(rename_all = "camelCase")]
struct BrandingPermissionsView {
    /// Whether the merchant may change the colours.
    can_customise_colours: bool,
    /// Whether the merchant may hide Florin's logo.
    can_hide_service_logo: bool,
}

/// Whether the payments of a merchant are reconciled.
#[derive(Serialize, ToSchema)]
#[schema(as = Reconciliation)]
struct ReconciliationView {
    /// Whether every completed payment also causes an event `MerchantPaymentReconciled`.
    enabled: bool,
}

impl MerchantView {
    /// Builds the view of a profile. `logo_url` is the URL of its logo.
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

    /// Adds the sums of the payments and refunds.
    pub(crate) fn with_payments_summary(self, sums: &[PaymentsSummary]) -> Self {
        let view = |summary: &PaymentsSummary| PaymentsSummaryView {
            currency_code: summary.currency.code(),
            paid_amount: Sum(summary.paid.of(summary.currency)),
            refunded_amount: Sum(summary.refunded.of(summary.currency)),
            count: summary.count,
        };
        Self { payments_summary: Some(sums.iter().map(view).collect()), ..self }
    }
}

/// A bank account. Each hidden character is replaced by a star.
#[derive(Serialize, ToSchema)]
#[schema(as = BankDetails)]
#[serde(rename_all = "camelCase")]
struct BankDetailsView {
    /// The type of the bank details.
    #[serde(rename = "type")]
    #[schema(pattern = "^(SORT_CODE|IBAN)$")]
    kind: &'static str,
    /// The sort code. Only its last two digits are shown. Absent unless the type is `SORT_CODE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[*]{4}[0-9]{2}$")]
    sort_code: Option<String>,
    /// The account number. Only its last four digits are shown. Absent unless the type is `SORT_CODE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[*]{4}[0-9]{4}$")]
    account_number: Option<String>,
    /// The IBAN. Only its country and its last four characters are shown. Absent unless the type is `IBAN`.
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

/// A settlement account: a bank account of the merchant, into which SHOPPING checkouts pay.
#[derive(Serialize, ToSchema)]
#[schema(as = SettlementAccount)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementAccountView {
    /// The id of the settlement account.
    #[schema(format = Uuid, max_length = 36)]
    id: String,
    /// The merchant's name for the settlement account; null if it has none.
    #[schema(required, nullable)]
    name: Option<String>,
    /// The currency of the bank account.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    /// The bank details.
    bank_details: BankDetailsView,
    /// The bank from which refunds are paid. Null until it is set, and while the bank is not on the bank list.
    #[schema(required, nullable, pattern = "^[0-9a-f]{32}$")]
    bank_id: Option<String>,
    /// The name of the bank from which refunds are paid; null if `bankId` is null.
    #[schema(required, nullable)]
    bank_name: Option<String>,
    /// The operator's decision on the bank details.
    #[schema(pattern = "^(PENDING|APPROVED|REJECTED)$")]
    approval_status: &'static str,
    /// Whether this is the default: checkouts of the same currency without a settlement account of their own pay into
    /// it.
    is_default: bool,
    /// The ids of the checkouts that pay into this settlement account.
    checkout_ids: Vec<String>,
    /// When the settlement account was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the settlement account last changed.
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

/// A payee: a bank account of somebody else, into which `TOP_UP` sessions pay.
#[derive(Serialize, ToSchema)]
#[schema(as = Payee)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayeeView {
    /// The id of the payee.
    #[schema(format = Uuid, max_length = 36)]
    id: String,
    /// The name of the account holder.
    name: String,
    /// The currency of the bank account.
    #[schema(pattern = "^(GBP|EUR)$")]
    currency_code: &'static str,
    /// The bank details.
    bank_details: BankDetailsView,
    /// The operator's decision on the bank details.
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
