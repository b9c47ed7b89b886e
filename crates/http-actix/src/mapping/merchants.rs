//! Maps errors of merchant operations to responses.

use crate::codes::ErrorCode;
use crate::load::overloaded;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use florin_application::MerchantAccessError;
use florin_domain::fault::{Fault, Flaw};
use florin_domain::merchant::{
    ApprovalStatus, BrandingMember, CheckoutRefusal, CreatePayeeRefusal, EditProfileRefusal, LogoRefusal,
    MAX_SETTLEMENT_ACCOUNTS, MerchantPermission, PayeeRefusal, SettlementRefusal, ShoppingMember,
};
use florin_ports::LogoImageError;
use std::fmt::Display;

const SETTLEMENT_ACCOUNT: &str = "body.settlementAccountId";

impl From<MerchantAccessError> for Problem {
    fn from(error: MerchantAccessError) -> Self {
        match error {
            MerchantAccessError::NoProfile => Self::new(
                StatusCode::NOT_FOUND,
                "query.accountId",
                ErrorCode::NotFound,
                "must name an account with an active merchant profile",
            ),
            MerchantAccessError::Store(error) => error.into(),
        }
    }
}

/// Maps the refusal of a change of a merchant profile.
pub(crate) fn edit_profile_problem(refusal: EditProfileRefusal) -> Problem {
    match refusal {
        EditProfileRefusal::NotEnabled(permission) => {
            not_enabled(format!("only the operator can change {}", permission_member(permission)))
        }
        EditProfileRefusal::NotPermitted(members) => {
            let fault = |member| match member {
                BrandingMember::PrimaryColour => {
                    missing_permission("primaryColour", MerchantPermission::CustomiseColours)
                }
                BrandingMember::BackgroundColour => {
                    missing_permission("backgroundColour", MerchantPermission::CustomiseColours)
                }
                BrandingMember::HideServiceLogo => {
                    missing_permission("hideServiceLogo", MerchantPermission::HideServiceLogo)
                }
            };
            Problem::faults(members.into_iter().map(fault).collect())
        }
    }
}

/// Maps the failure to convert an uploaded image to a logo.
pub(crate) fn logo_problem(error: LogoImageError) -> Problem {
    match error {
        LogoImageError::Refused(refusal) => logo_refusal(refusal),
        LogoImageError::Overloaded => overloaded(),
        LogoImageError::Unavailable(reason) => {
            tracing::error!(%reason, "cannot convert a logo");
            overloaded()
        }
    }
}

/// Maps the refusal of an uploaded file.
pub(crate) fn logo_refusal(refusal: LogoRefusal) -> Problem {
    let (status, code) = match refusal {
        LogoRefusal::TooLarge | LogoRefusal::TooManyPixels(..) | LogoRefusal::TooExpensive => {
            (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::PayloadTooLarge)
        }
        LogoRefusal::UnknownFormat => (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType),
        LogoRefusal::Animated | LogoRefusal::TooSmall(..) => (StatusCode::BAD_REQUEST, ErrorCode::InvalidValue),
        LogoRefusal::Unreadable => (StatusCode::BAD_REQUEST, ErrorCode::InvalidFormat),
    };
    Problem::new(status, "body.file", code, refusal.to_string())
}

/// Returns the member of the merchant's record that shows whether a permission is granted.
const fn permission_member(permission: MerchantPermission) -> &'static str {
    match permission {
        MerchantPermission::CustomiseColours => "brandingPermissions.canCustomiseColours",
        MerchantPermission::HideServiceLogo => "brandingPermissions.canHideServiceLogo",
        MerchantPermission::CreateTopUpCheckouts => "canCreateTopUpCheckouts",
        MerchantPermission::Reconciliation => "reconciliation.enabled",
    }
}

fn missing_permission(name: &str, permission: MerchantPermission) -> Fault {
    let message = format!("must not be set without the permission {}", permission_member(permission));
    Flaw::value(message).at(format!("body.branding.{name}"))
}

/// Returns the 403 for something that is not enabled for the merchant.
pub(super) fn not_enabled(message: impl Into<String>) -> Problem {
    Problem::forbidden("", ErrorCode::FeatureNotEnabled, message)
}

/// Returns the fault of a member that is not allowed for `TOP_UP` checkouts.
pub(crate) fn shopping_only(member: ShoppingMember) -> Fault {
    let path = match member {
        ShoppingMember::SettlementAccount => SETTLEMENT_ACCOUNT,
        ShoppingMember::ShippingOptions => "body.shippingOptions",
    };
    Flaw::value("must not be sent for a TOP_UP checkout").at(path)
}

/// Maps the refusal of a new or changed checkout.
pub(crate) fn checkout_problem(refusal: CheckoutRefusal) -> Problem {
    let invalid_account = |message: String| Problem::faults(vec![Flaw::value(message).at(SETTLEMENT_ACCOUNT)]);
    match refusal {
        CheckoutRefusal::TopUpNotEnabled => not_enabled("this merchant may not create TOP_UP checkouts"),
        CheckoutRefusal::NoSettlementAccount => Problem::absent(SETTLEMENT_ACCOUNT, "settlement account"),
        CheckoutRefusal::NotApproved => invalid_account("must name an APPROVED settlement account".into()),
        CheckoutRefusal::OtherCurrency(currency) => {
            let message = "must name a settlement account of the checkout's currency";
            invalid_account(format!("{message} (got one in {})", currency.as_str()))
        }
        CheckoutRefusal::NoDefault => {
            let message = "has no default: the merchant has no APPROVED settlement account in the checkout's currency";
            invalid_account(message.into())
        }
        CheckoutRefusal::TooMany { max } => too_many(max, "checkouts"),
        CheckoutRefusal::ShoppingMembers(members) => Problem::faults(members.into_iter().map(shopping_only).collect()),
    }
}

/// Maps the refusal of a change of settlement accounts.
pub(crate) fn settlement_problem(refusal: SettlementRefusal) -> Problem {
    const PATH: &str = "path.settlementAccountId";
    match refusal {
        SettlementRefusal::Absent => Problem::absent(PATH, "settlement account"),
        SettlementRefusal::DetailsTaken => {
            let message = "must differ from the bank details of the account's other settlement accounts";
            Problem::conflict("body.bankDetails", ErrorCode::InvalidState, message)
        }
        SettlementRefusal::TooMany => too_many(MAX_SETTLEMENT_ACCOUNTS, "settlement accounts"),
        SettlementRefusal::UnknownBank => {
            Problem::faults(vec![Flaw::value("must be the id of a bank on the bank list").at("body.bankId")])
        }
        SettlementRefusal::NotApproved => Problem::conflict(
            PATH,
            ErrorCode::InvalidState,
            "cannot be the default: the settlement account is not APPROVED",
        ),
        SettlementRefusal::Decided(status) => already_decided(PATH, status),
        SettlementRefusal::AwaitsPayments => Problem::conflict(
            PATH,
            ErrorCode::InvalidState,
            "cannot be deleted: open checkout sessions pay into it, or pending refunds are paid from it",
        ),
        SettlementRefusal::InUse => Problem::conflict(
            PATH,
            ErrorCode::InvalidState,
            "cannot be deleted: checkouts pay into the settlement account",
        ),
    }
}

/// Maps the refusal of a new payee.
pub(crate) fn create_payee_problem(refusal: CreatePayeeRefusal) -> Problem {
    match refusal {
        CreatePayeeRefusal::TooMany { max } => too_many(max, "payees"),
    }
}

fn too_many(max: impl Display, objects: &str) -> Problem {
    let message = format!("already has the maximum of {max} {objects}");
    Problem::conflict("query.accountId", ErrorCode::InvalidState, message)
}

/// Maps the refusal to approve or reject a payee.
pub(crate) fn payee_problem(refusal: PayeeRefusal) -> Problem {
    match refusal {
        PayeeRefusal::Decided(status) => already_decided("path.payeeId", status),
    }
}

fn already_decided(path: &str, status: ApprovalStatus) -> Problem {
    Problem::conflict(path, ErrorCode::InvalidState, format!("cannot change: {} is final", status.as_str()))
}
