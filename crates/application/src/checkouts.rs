//! Creates and changes checkouts.

use crate::MerchantServices;
use florin_domain::access::Account;
use florin_domain::ids::CheckoutId;
use florin_domain::merchant::{
    Checkout, CheckoutEdit, CheckoutKind, CheckoutRefusal, CheckoutRequest, CheckoutSituation, EditCheckoutSituation,
    Locale, WebUrl, decide_create_checkout, decide_edit_checkout,
};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{CreateCheckoutCommand, EditCheckoutCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// A client's request for a checkout.
pub struct NewCheckout {
    /// The type, with the data of that type.
    pub kind: CheckoutKind,
    /// The merchant's name for the checkout.
    pub name: Text<1, 64>,
    /// The currency of its sessions.
    pub currency: Currency,
    /// The URL to which the payer is sent when a session ends.
    pub return_url: WebUrl,
    /// Default locale of the payer's screens.
    pub locale: Option<Locale>,
}

/// Creates a checkout.
pub async fn create_checkout(
    services: &MerchantServices,
    account: &Account,
    new: NewCheckout,
    claim: Option<IdempotencyClaim<Checkout>>,
) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
    let clock = services.clock_of(account).await?;
    let NewCheckout { kind, name, currency, return_url, locale } = new;
    let request = CheckoutRequest {
        id: CheckoutId(clock.next_id()),
        account: account.id.clone(),
        kind,
        name,
        currency,
        return_url,
        locale,
        now: clock.now(),
        max_checkouts: services.max_checkouts,
    };
    let decide = Arc::new(move |situation: &CheckoutSituation| decide_create_checkout(situation, &request));
    services.checkouts.create(CreateCheckoutCommand { account: account.id.clone(), decide, claim }).await
}

/// Changes a checkout.
pub async fn edit_checkout(
    services: &MerchantServices,
    account: &Account,
    checkout: CheckoutId,
    edit: CheckoutEdit,
    claim: Option<IdempotencyClaim<Checkout>>,
) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
    let now = services.time.now_of(account);
    let decide = Arc::new(move |situation: &EditCheckoutSituation| decide_edit_checkout(situation, &edit, now));
    services.checkouts.edit(EditCheckoutCommand { account: account.id.clone(), checkout, decide, claim }).await
}
