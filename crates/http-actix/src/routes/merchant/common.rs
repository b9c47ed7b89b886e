//! Shared parts of the operations of merchants.

use crate::declare::parameters;
use crate::reply::{Render, answer};
use crate::state::App;
use crate::views::MerchantView;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use chrono::TimeDelta;
use florin_application::{CheckoutServices, Requirement};
use florin_domain::access::Scope;
use florin_domain::ids::{CheckoutId, PayeeId, SettlementAccountId};
use florin_domain::merchant::MerchantProfile;

pub(super) const READ_PROFILE: Requirement = Requirement::of(Scope::MerchantProfileRead);
pub(super) const WRITE_PROFILE: Requirement = Requirement::of(Scope::MerchantProfileWrite);
pub(super) const READ_CHECKOUTS: Requirement = Requirement::of(Scope::MerchantCheckoutsRead);
pub(super) const WRITE_CHECKOUTS: Requirement = Requirement::of(Scope::MerchantCheckoutsWrite);
pub(super) const READ_SETTLEMENT_ACCOUNTS: Requirement = Requirement::of(Scope::MerchantSettlementAccountsRead);
pub(super) const WRITE_SETTLEMENT_ACCOUNTS: Requirement = Requirement::of(Scope::MerchantSettlementAccountsWrite);
pub(super) const READ_PAYEES: Requirement = Requirement::of(Scope::MerchantPayeesRead);
pub(super) const WRITE_PAYEES: Requirement = Requirement::of(Scope::MerchantPayeesWrite);
pub(super) const READ_SESSIONS: Requirement = Requirement::of(Scope::MerchantCheckoutSessionsRead);
pub(super) const WRITE_SESSIONS: Requirement = Requirement::of(Scope::MerchantCheckoutSessionsWrite);
pub(super) const READ_TOP_UPS: Requirement = Requirement::of(Scope::MerchantTopUpsRead);
pub(super) const WRITE_TOP_UPS: Requirement = Requirement::of(Scope::MerchantTopUpsWrite);
pub(super) const READ_PAYMENTS: Requirement = Requirement::of(Scope::MerchantPaymentsRead);
pub(super) const READ_REFUNDS: Requirement = Requirement::of(Scope::MerchantRefundsRead);
pub(super) const WRITE_REFUNDS: Requirement = Requirement::of(Scope::MerchantRefundsWrite);
pub(super) const READ_ORDERS: Requirement = Requirement::of(Scope::MerchantOrdersRead);

/// The time after which a top-up expires, and a session without `expiresInMinutes`.
pub(super) const LIFETIME: TimeDelta = TimeDelta::minutes(20);

/// The query parameter and the kind of object in the 404 for a write of a merchant.
pub(super) const MERCHANT: (&str, &str) = ("query.accountId", "account with an active merchant profile");
/// The path parameter and the kind of object in the 404 for a checkout.
pub(super) const CHECKOUT: (&str, &str) = ("path.checkoutId", "checkout");
/// The path parameter and the kind of object in the 404 for a settlement account.
pub(crate) const SETTLEMENT_ACCOUNT: (&str, &str) = ("path.settlementAccountId", "settlement account");
/// The path parameter and the kind of object in the 404 for a payee.
pub(crate) const PAYEE: (&str, &str) = ("path.payeeId", "payee");

parameters! {
    /// Path parameter: a checkout.
    pub(crate) struct CheckoutPath in Path {
        /// The id of the checkout.
        "checkoutId" => id: CheckoutId,
    }
}

parameters! {
    /// Path parameter: a settlement account.
    pub(crate) struct SettlementAccountPath in Path {
        /// The id of the settlement account.
        "settlementAccountId" => id: SettlementAccountId,
    }
}

parameters! {
    /// Path parameter: a payee.
    pub(crate) struct PayeePath in Path {
        /// The id of the payee.
        "payeeId" => id: PayeeId,
    }
}

/// Returns the view of a merchant profile, with the URL of its logo.
pub(super) fn merchant_view(checkouts: &CheckoutServices, profile: &MerchantProfile) -> MerchantView {
    MerchantView::new(profile, profile.logo.map(|logo| checkouts.logo_url(logo)))
}

/// Returns a function that renders a merchant profile as 200.
pub(crate) fn render_merchant(app: &Data<App>) -> impl Render<MerchantProfile> + Clone + use<> {
    let app = Data::clone(app);
    move |profile: &MerchantProfile| answer(StatusCode::OK, &merchant_view(&app.checkouts, profile))
}
