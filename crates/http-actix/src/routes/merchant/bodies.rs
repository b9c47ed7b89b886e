//! The bodies of merchants' operations, and their conversion to the types of the domain.

use crate::declare::{
    AccountNumberText, BackgroundColour, Clearable, Fixed, IbanText, NotNull, OnlyTrue, PageUrl, PrimaryColour,
    SortCodeText, body,
};
use florin_domain::batch::ModulusTable;
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::SettlementAccountId;
use florin_domain::merchant::{
    Approval, BankDetails, BankDetailsInput, BankDetailsType, BankId, CheckoutStatus, CheckoutType, Locale,
    MerchantCurrency, MerchantName, MerchantPermission, MerchantStatus, OperatorEdit, PermissionValues, ProfileEdit,
    ShippingOptions, WebUrl,
};
use florin_domain::text::Text;

body! {
    /// The changes of a merchant profile. Omitted members keep their values.
    pub(crate) struct EditMerchantBody as "UpdateMerchantRequest" {
        /// The name that payers see. It must contain a character other than white space.
        #[example("Florin Shop")]
        "name" => name: NotNull<MerchantName>,
        /// The https URL of the return policy; null removes it.
        #[example("https://shop.example/returns")]
        "returnPolicyUrl" => return_policy_url: Clearable<WebUrl>,
        /// The look of the payment page. Omitted members keep their values. Null restores every default.
        "branding" => branding: Clearable<BrandingBody>,
        /// Permissions for the branding. Only the operator can change them: a different value is refused.
        "brandingPermissions" => branding_permissions: Option<BrandingPermissionsBody>,
        /// Whether the merchant may create `TOP_UP` checkouts. Only the operator can change this: a different value is
        /// refused.
        "canCreateTopUpCheckouts" => create_top_up_checkouts: Option<bool>,
        /// The reconciliation of payments. Only the operator can change it: a different value is refused.
        "reconciliation" => reconciliation: Option<ReconciliationBody>,
        /// Cannot change: every value is refused.
        "status" => status: Fixed,
    }
}

body! {
    /// The look of the payment page. A colour needs the permission `canCustomiseColours`.
    pub(crate) struct BrandingBody as "BrandingRequest" {
        /// The colour of buttons, in the form `#rrggbb`: white text on it must have a contrast of at least 4.5. Null
        /// restores the default.
        #[example("#1d70b8")]
        "primaryColour" => primary: Clearable<PrimaryColour>,
        /// The colour of the page, in the form `#rrggbb`: text in `#0b0c0c` must have a contrast of at least 4.5. Null
        /// restores the default.
        #[example("#ffffff")]
        "backgroundColour" => background: Clearable<BackgroundColour>,
        /// Whether Florin's logo is hidden. This needs the permission `canHideServiceLogo`. Null restores the
        /// default.
        "hideServiceLogo" => hide_service_logo: Clearable<bool>,
    }
}

body! {
    /// Permissions for the branding.
    pub(crate) struct BrandingPermissionsBody as "BrandingPermissionsRequest" {
        /// Whether the merchant may set colours.
        "canCustomiseColours" => customise_colours: Option<bool>,
        /// Whether the merchant may hide Florin's logo.
        "canHideServiceLogo" => hide_service_logo: Option<bool>,
    }
}

body! {
    /// The reconciliation of payments.
    pub(crate) struct ReconciliationBody as "ReconciliationRequest" {
        /// Whether payments are reconciled: each completed payment of a checkout causes `MerchantPaymentReconciled`.
        "enabled" => enabled: Option<bool>,
    }
}

body! {
    /// The operator's decisions about a merchant. Omitted members keep their values.
    pub(crate) struct AdministerMerchantBody as "AdministerMerchantRequest" {
        /// `ACTIVE` or `DEACTIVATED`. If the profile is DEACTIVATED, operations respond as if it did not exist.
        "status" => status: Option<MerchantStatus>,
        /// Permissions for the branding.
        "brandingPermissions" => branding_permissions: Option<BrandingPermissionsBody>,
        /// Whether the merchant may create `TOP_UP` checkouts. If so, new settlement accounts and payees are APPROVED
        /// immediately.
        "canCreateTopUpCheckouts" => create_top_up_checkouts: Option<bool>,
        /// The reconciliation of payments.
        "reconciliation" => reconciliation: Option<ReconciliationBody>,
    }
}

body! {
    /// The decision of an operator about bank details.
    pub(crate) struct ApprovalBody as "ApprovalRequest" {
        /// `APPROVED` or `REJECTED`. The decision is final.
        "approvalStatus" => approval: Approval,
    }
}

body! {
    /// A new checkout.
    pub(crate) struct CreateCheckoutBody as "CreateCheckoutRequest" {
        /// `SHOPPING` pays into a settlement account, `TOP_UP` into payees. The type cannot change.
        #[example("SHOPPING")]
        "type" => checkout_type: CheckoutType,
        /// The merchant's name for the checkout, never shown to payers.
        #[example("Web shop")]
        "name" => name: Text<1, 64>,
        /// `GBP` or `EUR`. The currency cannot change.
        #[example("GBP")]
        "currencyCode" => currency: MerchantCurrency,
        /// The https URL that the payer is redirected to when a session ends.
        #[example("https://shop.example/paid")]
        "returnUrl" => return_url: WebUrl,
        /// The default locale of the payment page.
        #[example("en-GB")]
        "locale" => locale: Option<Locale>,
        /// SHOPPING only: an APPROVED settlement account of the same currency. Default: the default settlement account
        /// of the currency.
        "settlementAccountId" => settlement_account: Option<SettlementAccountId>,
        /// SHOPPING only: how shipping data is collected. Default: none is collected.
        "shippingOptions" => shipping: Option<ShippingOptionsBody>,
    }
}

body! {
    /// The changes of a checkout. Omitted members keep their values.
    pub(crate) struct EditCheckoutBody as "UpdateCheckoutRequest" {
        /// The merchant's name for the checkout, never shown to payers.
        "name" => name: NotNull<Text<1, 64>>,
        /// `ACTIVE` or `DEACTIVATED`.
        "status" => status: NotNull<CheckoutStatus>,
        /// The https URL that the payer is redirected to when a session ends.
        "returnUrl" => return_url: NotNull<WebUrl>,
        /// The default locale of the payment page; null removes it.
        "locale" => locale: Clearable<Locale>,
        /// SHOPPING only: an APPROVED settlement account of the same currency. Null: the default settlement account of
        /// the currency.
        "settlementAccountId" => settlement_account: Clearable<SettlementAccountId>,
        /// SHOPPING only: how shipping data is collected. Null: none is collected.
        "shippingOptions" => shipping: Clearable<ShippingOptionsBody>,
        /// Cannot change: every value is refused.
        "type" => checkout_type: Fixed,
        /// Cannot change: every value is refused.
        "currencyCode" => currency: Fixed,
    }
}

body! {
    /// How a SHOPPING checkout collects shipping data.
    pub(crate) struct ShippingOptionsBody as "ShippingOptionsRequest" {
        /// Whether the payer must enter a shipping address.
        "collectAddress" => collect_address: bool,
        /// The https URL of the merchant's server that returns shipping rates. It requires `collectAddress`. Default:
        /// rates are not dynamic. The sandbox also accepts http URLs with loopback hosts.
        "dynamicRatesUrl" => dynamic_rates_url: Option<PageUrl>,
    }
}

body! {
    /// A new settlement account.
    pub(crate) struct CreateSettlementAccountBody as "CreateSettlementAccountRequest" {
        /// The merchant's name for the settlement account.
        #[example("Main")]
        "name" => name: Option<Text<1, 18>>,
        /// `GBP` or `EUR`.
        #[example("GBP")]
        "currencyCode" => currency: MerchantCurrency,
        /// The bank account that receives the money: of type `SORT_CODE` for GBP, `IBAN` for EUR.
        "bankDetails" => details: BankDetailsBody,
    }
}

body! {
    /// The changes of a settlement account. Omitted members keep their values.
    pub(crate) struct EditSettlementAccountBody as "UpdateSettlementAccountRequest" {
        /// The merchant's name for the settlement account; null removes the name.
        "name" => name: Clearable<Text<1, 18>>,
        /// The bank, from the bank list, that pays refunds; null removes it.
        "bankId" => bank: Clearable<BankId>,
        /// `true` makes this settlement account the default of its currency. It must be APPROVED.
        "isDefault" => make_default: Option<OnlyTrue>,
    }
}

body! {
    /// A new payee.
    pub(crate) struct CreatePayeeBody as "CreatePayeeRequest" {
        /// The name of the payee.
        #[example("Mary Shelley")]
        "name" => name: Text<1, 140>,
        /// `GBP` or `EUR`.
        #[example("GBP")]
        "currencyCode" => currency: MerchantCurrency,
        /// The bank account that receives the money: of type `SORT_CODE` for GBP, `IBAN` for EUR.
        "bankDetails" => details: BankDetailsBody,
    }
}

body! {
    /// A bank account.
    pub(crate) struct BankDetailsBody as "BankDetailsRequest" {
        /// `SORT_CODE` or `IBAN`.
        #[example("SORT_CODE")]
        "type" => details_type: BankDetailsType,
        /// The six digits of a UK sort code.
        #[example("200000")]
        "sortCode" => sort_code: Option<SortCodeText>,
        /// The eight digits of a UK account number, which must pass the modulus check for the sort code.
        #[example("55779911")]
        "accountNumber" => account_number: Option<AccountNumberText>,
        /// The IBAN, with or without spaces.
        "iban" => iban: Option<IbanText>,
    }
}

impl EditMerchantBody {
    /// Returns the changes in the body.
    pub(super) fn edit(self) -> ProfileEdit {
        // `status` is never set here: a request that sends it has been refused.
        let Self { status: _status, .. } = &self;
        let (primary, background, hide) = match self.branding {
            Clearable::Value(branding) => (
                branding.primary.changed().map(|colour| colour.map(|colour| colour.0)),
                branding.background.changed().map(|colour| colour.map(|colour| colour.0)),
                branding.hide_service_logo.changed().map(Option::unwrap_or_default),
            ),
            Clearable::Null => (Some(None), Some(None), Some(false)),
            Clearable::Missing => (None, None, None),
        };
        ProfileEdit {
            name: self.name.sent(),
            return_policy_url: self.return_policy_url.changed(),
            primary,
            background,
            hide_service_logo: hide,
            permissions: permissions(
                self.branding_permissions.as_ref(),
                self.create_top_up_checkouts,
                self.reconciliation.as_ref(),
            ),
        }
    }
}

impl AdministerMerchantBody {
    /// Returns the changes in the body.
    pub(crate) fn edit(&self) -> OperatorEdit {
        let permissions =
            permissions(self.branding_permissions.as_ref(), self.create_top_up_checkouts, self.reconciliation.as_ref());
        OperatorEdit { status: self.status, permissions }
    }
}

fn permissions(
    branding: Option<&BrandingPermissionsBody>,
    create_top_up_checkouts: Option<bool>,
    reconciliation: Option<&ReconciliationBody>,
) -> PermissionValues {
    let values = [
        (MerchantPermission::CustomiseColours, branding.and_then(|body| body.customise_colours)),
        (MerchantPermission::HideServiceLogo, branding.and_then(|body| body.hide_service_logo)),
        (MerchantPermission::CreateTopUpCheckouts, create_top_up_checkouts),
        (MerchantPermission::Reconciliation, reconciliation.and_then(|body| body.enabled)),
    ];
    values.into_iter().filter_map(|(permission, value)| Some((permission, value?))).collect()
}

impl ShippingOptionsBody {
    /// Checks the members together. Returns `None` if a fault was recorded.
    pub(super) fn read(self, faults: &mut Faults) -> Option<ShippingOptions> {
        let options = ShippingOptions::new(self.collect_address, self.dynamic_rates_url.map(|url| url.0));
        faults.take("body.shippingOptions.dynamicRatesUrl", options)
    }
}

impl BankDetailsBody {
    /// Checks bank details for a currency. Returns `None` if faults were recorded.
    pub(super) fn read(
        self,
        currency: MerchantCurrency,
        table: &ModulusTable,
        faults: &mut Faults,
    ) -> Option<BankDetails> {
        let expected = currency.details_type();
        if self.details_type != expected {
            let message = format!("must be {} for {}", expected.as_str(), currency.as_str());
            faults.push(Flaw::value(message).at("body.bankDetails.type"));
            return None;
        }
        let input = BankDetailsInput {
            sort_code: self.sort_code.map(|text| text.0),
            account_number: self.account_number.map(|text| text.0),
            iban: self.iban.map(|text| text.0),
        };
        let parsed = BankDetails::parse(self.details_type, &input, table);
        let record = |found: Vec<florin_domain::fault::Fault>| {
            for fault in found {
                faults.push(fault.flaw.at(format!("body.bankDetails.{}", fault.path)));
            }
        };
        parsed.map_err(record).ok()
    }
}
