//! Bugs in merchants, settlement accounts and payees.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, LogoId, PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    BankId, CreatePayeeRefusal, CreatePayeeSituation, CreatedPayee, EditProfileRefusal, Logo, MerchantProfile, Payee,
    PayeeFilter, PayeeRefusal, SettlementAccountOverview, SettlementChange, SettlementRefusal, SettlementSituation,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    ApprovePayeeCommand, Banks, CreatePayeeCommand, Merchants, Payees, ProfileCommand, SetLogoCommand,
    SettlementAccounts, SettlementCommand, StoreError, WriteError, Written,
};
use std::convert::Infallible;
use std::sync::Arc;

#[async_trait]
impl Merchants for Mutant {
    async fn find(&self, account: &AccountId) -> Result<Option<MerchantProfile>, StoreError> {
        let found = Merchants::find(&self.inner, account).await?;
        Ok(if self.has(Bug::LogosHidden) { found.map(|found| MerchantProfile { logo: None, ..found }) } else { found })
    }

    async fn change(
        &self,
        mut command: ProfileCommand,
    ) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
        command.claim = self.claim(command.claim);
        command.creates |= self.has(Bug::MerchantsCreateProfiles);
        if self.has(Bug::PermissionsStay) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |profile: &MerchantProfile| {
                Ok(MerchantProfile { permissions: profile.permissions.clone(), ..rule(profile)? })
            });
        }
        Merchants::change(&self.inner, command).await
    }

    async fn set_logo(&self, mut command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>> {
        command.claim = self.claim(command.claim).filter(|_| !self.has(Bug::LogoRecordsLost));
        if self.has(Bug::LogosCut) {
            command.logo.png.pop();
        }
        self.inner.set_logo(command).await
    }

    async fn logo(&self, logo: LogoId) -> Result<Option<Logo>, StoreError> {
        self.inner.logo(logo).await
    }
}

fn without_checkouts(overview: SettlementAccountOverview) -> SettlementAccountOverview {
    SettlementAccountOverview { checkouts: Vec::new(), ..overview }
}

#[async_trait]
impl SettlementAccounts for Mutant {
    async fn find(
        &self,
        account: &AccountId,
        settlement_account: SettlementAccountId,
    ) -> Result<Option<SettlementAccountOverview>, StoreError> {
        let found = SettlementAccounts::find(&self.inner, account, settlement_account).await?;
        if found.is_none() && self.has(Bug::SettlementAccountsOfAnyAccount) {
            return SettlementAccounts::find(&self.inner, &AccountId::parse("F2").unwrap(), settlement_account).await;
        }
        Ok(if self.has(Bug::CheckoutsOfSettlementAccountsHidden) { found.map(without_checkouts) } else { found })
    }

    async fn list(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<Page<SettlementAccountOverview>, StoreError> {
        let mut found = SettlementAccounts::list(&self.inner, account, page).await?;
        if self.has(Bug::CheckoutsOfListedSettlementAccountsHidden) {
            found.rows = found.rows.into_iter().map(without_checkouts).collect();
        }
        Ok(found)
    }

    async fn change(
        &self,
        mut command: SettlementCommand,
    ) -> Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>> {
        command.claim = self.claim(command.claim);
        let banks = Banks::list(&self.inner, PageRequest::default()).await?.rows;
        let is_listed = move |id: &mut BankId| banks.iter().any(|bank| bank.id == *id);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &SettlementSituation| {
            let mut situation = situation.clone();
            if bug == Some(Bug::AwaitedSettlementsForgotten) {
                situation.in_use.clear();
            }
            let mut change: SettlementChange = rule(&situation)?;
            let before = |id| situation.accounts.iter().find(|old| old.id == id);
            for account in &mut change.accounts {
                match bug {
                    Some(Bug::BanksOfRefundsLost) => account.bank = None,
                    Some(Bug::UnlistedBanksErased) => drop(account.bank.take_if(|bank| !is_listed(bank))),
                    Some(Bug::TwoDefaults) => {
                        account.is_default |= before(account.id).is_some_and(|old| old.is_default);
                    }
                    _ => {}
                }
            }
            if bug == Some(Bug::SettlementAccountsStay) && change.changed.is_none() {
                change.accounts.clone_from(&situation.accounts);
            }
            Ok(change)
        });
        SettlementAccounts::change(&self.inner, command).await
    }
}

#[async_trait]
impl Payees for Mutant {
    async fn find(&self, account: &AccountId, payee: PayeeId) -> Result<Option<Payee>, StoreError> {
        let found = Payees::find(&self.inner, account, payee).await?;
        if found.is_none() && self.has(Bug::PayeesOfAnyAccount) {
            return Payees::find(&self.inner, &AccountId::parse("F2").unwrap(), payee).await;
        }
        Ok(found)
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PayeeFilter,
        page: PageRequest,
    ) -> Result<Page<Payee>, StoreError> {
        let filter = if self.has(Bug::PayeesUnfiltered) { PayeeFilter::default() } else { filter };
        Payees::list(&self.inner, account, filter, page).await
    }

    async fn create(
        &self,
        mut command: CreatePayeeCommand,
    ) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::PayeesTwice) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CreatePayeeSituation| {
                rule(&CreatePayeeSituation { known: None, ..situation.clone() })
            });
        }
        if self.has(Bug::PayeesUncounted) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CreatePayeeSituation| {
                rule(&CreatePayeeSituation { payees: 0, ..situation.clone() })
            });
        }
        Payees::create(&self.inner, command).await
    }

    async fn approve(&self, mut command: ApprovePayeeCommand) -> Result<Written<Payee>, WriteError<PayeeRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::ApprovalsNotStored) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |payee: &Payee| Ok(Payee { approval: payee.approval, ..rule(payee)? }));
        }
        Payees::approve(&self.inner, command).await
    }
}
