//! Merchants: profiles, settlement accounts, payees and checkouts.

use crate::Cells;
use crate::routes::routes;
use florin_domain::ids::{AccountId, CheckoutId, LogoId, PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    Checkout, CheckoutFilter, CheckoutRefusal, CreatePayeeRefusal, CreatedPayee, EditProfileRefusal, Logo,
    MerchantProfile, Payee, PayeeFilter, PayeeRefusal, SettlementAccountOverview, SettlementRefusal,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    ApprovePayeeCommand, CreateCheckoutCommand, CreatePayeeCommand, EditCheckoutCommand, Merchants, ProfileCommand,
    SetLogoCommand, SettlementCommand, StoreError, WriteError, Written,
};
use std::convert::Infallible;

routes! { Merchants:
    find(account: &AccountId) -> Result<Option<MerchantProfile>, StoreError> => [account(account)];
    change(command: ProfileCommand) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>>
        => [account(&command.account)];
    set_logo(command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>>
        => [with(set_logo)];
    logo(logo: LogoId) -> Result<Option<Logo>, StoreError> => [with(find_logo)];
}

routes! { SettlementAccounts:
    find(
        account: &AccountId,
        settlement_account: SettlementAccountId
    ) -> Result<Option<SettlementAccountOverview>, StoreError>
        => [account(account)];
    list(account: &AccountId, page: PageRequest) -> Result<Page<SettlementAccountOverview>, StoreError>
        => [account(account)];
    change(
        command: SettlementCommand
    ) -> Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>>
        => [account(&command.account)];
}

routes! { Payees:
    find(account: &AccountId, payee: PayeeId) -> Result<Option<Payee>, StoreError> => [account(account)];
    list(account: &AccountId, filter: PayeeFilter, page: PageRequest) -> Result<Page<Payee>, StoreError>
        => [account(account)];
    create(command: CreatePayeeCommand) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>>
        => [account(&command.account)];
    approve(command: ApprovePayeeCommand) -> Result<Written<Payee>, WriteError<PayeeRefusal>>
        => [account(&command.account)];
}

routes! { Checkouts:
    list(account: &AccountId, filter: CheckoutFilter, page: PageRequest) -> Result<Page<Checkout>, StoreError>
        => [account(account)];
    find(account: &AccountId, checkout: CheckoutId) -> Result<Option<Checkout>, StoreError> => [account(account)];
    create(command: CreateCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>>
        => [account(&command.account)];
    edit(command: EditCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>>
        => [account(&command.account)];
}

/// Sets a logo in the cell of its account. Refuses an id that another account has, in any cell, because logos are found
/// by their ids alone. The check is not in the transaction of the write, which suffices: ids are random, or derived
/// from the account. A cell that fails is skipped, so that it does not stop the merchants of other cells.
async fn set_logo(cells: &Cells, command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>> {
    let cell = cells.account(&command.logo.account).await?;
    let found = find_logo(cells, command.logo.id).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot compare the id of a new logo with those in a cell");
        None
    });
    if found.is_some_and(|found| found.account != command.logo.account) {
        return Err(StoreError::Duplicate(format!("{:?}", command.logo.id)).into());
    }
    let set = Merchants::set_logo(&*cell.store, command).await;
    cells.confirm(cell).await?;
    set
}

/// Asks all cells, because logos are found by their ids alone.
async fn find_logo(cells: &Cells, logo: LogoId) -> Result<Option<Logo>, StoreError> {
    cells.find_in_any(|store| async move { Merchants::logo(&*store, logo).await }).await
}
