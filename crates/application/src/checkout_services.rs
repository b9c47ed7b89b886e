//! The ports used by the use cases of checkout sessions, connected by the binary.

use crate::{AccountClock, AccountClocks, PageTokenMaker};
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, LogoId};
use florin_ports::{
    Banks, CheckoutSessions, MerchantPayments, PaymentInitiation, ShippingRates, SimulatedBank, StoreError,
};
use std::sync::Arc;
use uuid::Uuid;

/// The ports for checkout sessions, payments and refunds.
#[derive(Clone)]
pub struct CheckoutServices {
    /// Real time and ids. [`CheckoutServices::clock_of`] returns those of an account.
    pub time: AccountClocks,
    /// Stores sessions.
    pub sessions: Arc<dyn CheckoutSessions>,
    /// Reads payments, and stores refunds.
    pub payments: Arc<dyn MerchantPayments>,
    /// Reads the bank list.
    pub banks: Arc<dyn Banks>,
    /// Loads the shipping rates of merchants.
    pub shipping_rates: Arc<dyn ShippingRates>,
    /// Derives the tokens of payment pages.
    pub page_tokens: PageTokenMaker,
    /// The banks of payers. `None`: this server has none, so nothing can be paid or refunded.
    pub initiation: Option<Arc<dyn PaymentInitiation>>,
    /// The simulated bank. `None`: the banks are real, or this server has none.
    pub simulated_bank: Option<Arc<dyn SimulatedBank>>,
    /// The URL of this server that payers use, without a slash at the end.
    pub public_url: String,
}

/// This server has no banks that payers can pay from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this server has no banks that payers can pay from")]
pub struct NoPayerBanks;

/// This server has no simulated bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this server has no simulated bank")]
pub struct NoSimulatedBank;

impl CheckoutServices {
    /// The clock and ids of a request that writes; call it once per request.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.clock_of(account).await
    }

    /// The banks of payers.
    pub fn payer_banks(&self) -> Result<&dyn PaymentInitiation, NoPayerBanks> {
        self.initiation.as_deref().ok_or(NoPayerBanks)
    }

    /// The simulated bank, for actions that only the sandbox has.
    pub fn simulated_bank(&self) -> Result<&dyn SimulatedBank, NoSimulatedBank> {
        self.simulated_bank.as_deref().ok_or(NoSimulatedBank)
    }

    /// The URL of the payment page of a session.
    pub fn checkout_url(&self, account: &AccountId, session: Uuid) -> String {
        self.page_tokens.checkout_url(&self.public_url, account, session)
    }

    /// The URL of a logo.
    pub fn logo_url(&self, logo: LogoId) -> String {
        format!("{}/pay/logos/{logo}.png", self.public_url)
    }

    /// The URL of the page on which the merchant authorises a refund.
    pub fn authorisation_url(&self, account: &AccountId, refund: Uuid) -> String {
        format!("{}/pay/refunds/{}", self.public_url, self.page_tokens.token(account, refund))
    }
}
