//! Merchants: their profiles, checkouts, settlement accounts and payees, and the banks at which payers can pay them.

mod bank;
mod bank_details;
mod checkout;
mod colour;
mod configure_checkout;
mod edit_profile;
mod locale;
mod logo;
mod manage_settlement_accounts;
mod payee;
mod profile;
mod settlement_account;
mod web_url;

pub use bank::{Bank, BankId};
pub use bank_details::{BankDetails, BankDetailsInput, BankDetailsType, MerchantCurrency};
pub use checkout::{Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType, ShippingOptions};
pub use colour::Colour;
pub use configure_checkout::{
    CheckoutEdit, CheckoutRefusal, CheckoutRequest, CheckoutSituation, EditCheckoutSituation, MAX_CHECKOUTS,
    ShoppingMember, checkout_kind, decide_create_checkout, decide_edit_checkout,
};
pub use edit_profile::{
    BrandingMember, EditProfileRefusal, OperatorEdit, PermissionValues, ProfileEdit, decide_edit_profile,
    edit_profile_by_operator,
};
pub use locale::Locale;
pub use logo::{
    LOGO_SIDE, Logo, LogoFormat, LogoHeader, LogoPlacement, LogoRefusal, MAX_LOGO_BYTES, MAX_LOGO_PIXELS,
    MIN_LOGO_SIDE, check_logo_file, check_logo_header, fit_logo,
};
pub use manage_settlement_accounts::{
    MAX_SETTLEMENT_ACCOUNTS, SettlementAccountEdit, SettlementAccountRequest, SettlementChange, SettlementRefusal,
    SettlementSituation, decide_create_settlement_account, decide_delete_settlement_account,
    decide_edit_settlement_account, decide_settlement_approval,
};
pub use payee::{
    CreatePayeeRefusal, CreatePayeeSituation, CreatedPayee, MAX_PAYEES, Payee, PayeeFilter, PayeeRefusal, PayeeRequest,
    decide_create_payee, decide_payee_approval,
};
pub use profile::{Branding, MerchantName, MerchantPermission, MerchantProfile, MerchantStatus};
pub use settlement_account::{Approval, ApprovalStatus, CheckoutTarget, SettlementAccount, SettlementAccountOverview};
pub use web_url::WebUrl;
