//! Merchants: profiles, checkouts, settlement accounts and payees; and the bank list.

use crate::{Decide, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::ids::{AccountId, CheckoutId, LogoId, PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    Bank, BankDetails, BankId, Checkout, CheckoutFilter, CheckoutRefusal, CheckoutSituation, CreatePayeeRefusal,
    CreatePayeeSituation, CreatedPayee, EditCheckoutSituation, EditProfileRefusal, Logo, MerchantProfile, Payee,
    PayeeFilter, PayeeRefusal, SettlementAccountOverview, SettlementChange, SettlementRefusal, SettlementSituation,
};
use florin_domain::page::{Page, PageRequest};
use std::convert::Infallible;

/// A command to change a merchant profile.
pub struct ProfileCommand {
    /// The account.
    pub account: AccountId,
    /// Whether to create a missing profile. Otherwise a missing profile is `Absent`.
    pub creates: bool,
    /// The rule. It does not change the logo. If the profile was never changed, the rule receives
    /// [`MerchantProfile::new`] with the name of the account.
    pub decide: Decide<MerchantProfile, Result<MerchantProfile, EditProfileRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<MerchantProfile>>,
}

/// A command to store the logo of a merchant.
pub struct SetLogoCommand {
    /// The logo, which contains the account of the caller.
    pub logo: Logo,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<MerchantProfile>>,
}

/// Stores merchant profiles and logos.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Merchants: Send + Sync {
    /// Returns the profile of an account, whatever its status. `None`: the account has none.
    async fn find(&self, account: &AccountId) -> Result<Option<MerchantProfile>, StoreError>;

    /// Decides a change of a profile. Changes of one merchant are decided sequentially. `Absent`: no such account, or
    /// the account has no profile and the command does not create one.
    async fn change(&self, command: ProfileCommand)
    -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>>;

    /// Stores the logo of a merchant in place of the previous one, and returns the profile with it. `Absent`: the
    /// account has no merchant profile.
    async fn set_logo(&self, command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>>;

    /// Returns a logo of any account. `None`: no merchant uses it now.
    async fn logo(&self, logo: LogoId) -> Result<Option<Logo>, StoreError>;
}

/// A command to create a checkout.
pub struct CreateCheckoutCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The rule.
    pub decide: Decide<CheckoutSituation, Result<Checkout, CheckoutRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<Checkout>>,
}

/// A command to change a checkout.
pub struct EditCheckoutCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The checkout, which must be the account's.
    pub checkout: CheckoutId,
    /// The rule. It changes neither the id, nor the type, nor the currency.
    pub decide: Decide<EditCheckoutSituation, Result<Checkout, CheckoutRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<Checkout>>,
}

/// Stores checkouts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Checkouts: Send + Sync {
    /// Lists the account's matching checkouts, newest first by creation, then by id descending, so that pages never
    /// overlap. The count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError>;

    /// Returns a checkout. `None`: no such checkout on the account.
    async fn find(&self, account: &AccountId, checkout: CheckoutId) -> Result<Option<Checkout>, StoreError>;

    /// Decides the creation of a checkout. `Absent`: the account has no merchant profile.
    async fn create(&self, command: CreateCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>>;

    /// Decides a change of a checkout. `Absent`: no such checkout on the account.
    async fn edit(&self, command: EditCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>>;
}

/// A command to create, change, approve or delete a settlement account.
pub struct SettlementCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The bank that the request names. The situation contains it if it is on the list of banks.
    pub bank: Option<BankId>,
    /// The rule. It changes neither ids nor bank details of a stored settlement account.
    pub decide: Decide<SettlementSituation, Result<SettlementChange, SettlementRefusal>>,
    /// The idempotency claim, if the caller made one. Its response shows the created or changed settlement account;
    /// `None`: it was deleted.
    pub claim: Option<IdempotencyClaim<Option<SettlementAccountOverview>>>,
}

/// Stores settlement accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SettlementAccounts: Send + Sync {
    /// Returns a settlement account. `None`: no such settlement account on the account.
    async fn find(
        &self,
        account: &AccountId,
        settlement_account: SettlementAccountId,
    ) -> Result<Option<SettlementAccountOverview>, StoreError>;

    /// Lists the account's settlement accounts, newest first by creation, then by id descending. The count ignores the
    /// page.
    async fn list(&self, account: &AccountId, page: PageRequest)
    -> Result<Page<SettlementAccountOverview>, StoreError>;

    /// Decides a change of the settlement accounts of a merchant, and stores all its parts. Returns the created or
    /// changed settlement account; `None`: it was deleted. Changes of one merchant are decided sequentially. `Absent`:
    /// the account has no merchant profile.
    async fn change(
        &self,
        command: SettlementCommand,
    ) -> Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>>;
}

/// A command to create a payee.
pub struct CreatePayeeCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The bank details. The situation contains the payee that already has them, if there is one.
    pub details: BankDetails,
    /// The rule.
    pub decide: Decide<CreatePayeeSituation, Result<CreatedPayee, CreatePayeeRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CreatedPayee>>,
}

/// A command to approve or reject a payee.
pub struct ApprovePayeeCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The payee, which must be the account's.
    pub payee: PayeeId,
    /// The rule. It changes neither ids nor bank details.
    pub decide: Decide<Payee, Result<Payee, PayeeRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<Payee>>,
}

/// Stores payees.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Payees: Send + Sync {
    /// Returns a payee. `None`: no such payee on the account.
    async fn find(&self, account: &AccountId, payee: PayeeId) -> Result<Option<Payee>, StoreError>;

    /// Lists the account's matching payees, newest first by creation, then by id descending. The count ignores the
    /// page.
    async fn list(
        &self,
        account: &AccountId,
        filter: PayeeFilter,
        page: PageRequest,
    ) -> Result<Page<Payee>, StoreError>;

    /// Decides the creation of a payee, and stores the payee if it is new. Creations on one account are decided
    /// sequentially. `Absent`: the account has no merchant profile.
    async fn create(
        &self,
        command: CreatePayeeCommand,
    ) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>>;

    /// Decides the approval of a payee. `Absent`: no such payee on the account.
    async fn approve(&self, command: ApprovePayeeCommand) -> Result<Written<Payee>, WriteError<PayeeRefusal>>;
}

/// Reads the bank list, which all merchants share.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Banks: Send + Sync {
    /// Returns a bank. `None`: no such bank on the list.
    async fn find(&self, bank: &BankId) -> Result<Option<Bank>, StoreError>;

    /// Lists banks by name (code points), then by id. The count ignores the page.
    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError>;
}
