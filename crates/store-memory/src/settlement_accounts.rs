//! Settlement accounts.

use crate::MemoryStore;
use crate::data::Data;
use crate::idempotency::once;
use crate::merchant_profiles::profile;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::checkout::{CheckoutSession, MerchantPaymentKind, MerchantPaymentStatus};
use florin_domain::ids::{AccountId, SettlementAccountId};
use florin_domain::merchant::{
    CheckoutTarget, SettlementAccount, SettlementAccountOverview, SettlementRefusal, SettlementSituation,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{SettlementAccounts, SettlementCommand, StoreError, WriteError, Written};
use std::collections::BTreeSet;

#[async_trait]
impl SettlementAccounts for MemoryStore {
    async fn find(
        &self,
        account: &AccountId,
        settlement_account: SettlementAccountId,
    ) -> Result<Option<SettlementAccountOverview>, StoreError> {
        Ok(self.read(|data| {
            let found = of_account(data, account).into_iter().find(|one| one.id == settlement_account)?;
            Some(overview(data, found, &targets(data, account)))
        }))
    }

    async fn list(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<Page<SettlementAccountOverview>, StoreError> {
        let found = self.read(|data| {
            let targets = targets(data, account);
            let newest_first = of_account(data, account).into_iter().rev();
            newest_first.map(|one| overview(data, one, &targets)).collect()
        });
        Ok(paginate(found, page))
    }

    async fn change(
        &self,
        command: SettlementCommand,
    ) -> Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let account = &command.account;
                let situation = SettlementSituation {
                    profile: profile(data, account).ok_or(WriteError::Absent)?,
                    accounts: of_account(data, account),
                    targets: targets(data, account),
                    in_use: in_use(data, account),
                    bank: command.bank.as_ref().and_then(|bank| data.banks.get(bank)).cloned(),
                };
                let change = (command.decide)(&situation).map_err(WriteError::Refused)?;
                data.merchants.settlement_accounts.retain(|(owner, _), _| owner != account);
                let key = |one: &SettlementAccount| (account.clone(), one.id);
                data.merchants.settlement_accounts.extend(change.accounts.iter().map(|one| (key(one), one.clone())));
                let changed = change.accounts.into_iter().find(|one| Some(one.id) == change.changed);
                Ok(changed.map(|one| overview(data, one, &situation.targets)))
            })
        })
    }
}

/// Returns all settlement accounts of an account, in the order of their creation.
pub(crate) fn of_account(data: &Data, account: &AccountId) -> Vec<SettlementAccount> {
    let own = data.merchants.settlement_accounts.values().filter(|one| one.account == *account);
    let mut own: Vec<_> = own.cloned().collect();
    own.sort_by_key(|one| (one.created_at, one.id));
    own
}

fn overview(data: &Data, account: SettlementAccount, targets: &[CheckoutTarget]) -> SettlementAccountOverview {
    let bank = account.bank.as_ref().and_then(|bank| data.banks.get(bank)).cloned();
    SettlementAccountOverview::of(account, bank, targets)
}

/// Returns the settlement accounts that open sessions pay into, or that pending refunds are paid from.
fn in_use(data: &Data, account: &AccountId) -> BTreeSet<SettlementAccountId> {
    let own = data.merchants.sessions.values().filter(|session| session.account == *account);
    let is_refunded = |session: &CheckoutSession| {
        data.merchants.payments.values().any(|payment| {
            (&payment.account, payment.session) == (account, session.id)
                && payment.kind() == MerchantPaymentKind::Refund
                && payment.status() == MerchantPaymentStatus::Pending
        })
    };
    own.filter(|session| !session.status().is_end() || is_refunded(session))
        .filter_map(|session| session.purpose.settlement_account())
        .collect()
}

/// Returns the SHOPPING checkouts of an account with the settlement accounts that they pay into, newest first.
fn targets(data: &Data, account: &AccountId) -> Vec<CheckoutTarget> {
    let mut own: Vec<_> = data.checkouts.values().filter(|checkout| checkout.account == *account).collect();
    own.sort_by_key(|checkout| std::cmp::Reverse((checkout.created_at, checkout.id)));
    own.into_iter().filter_map(CheckoutTarget::of).collect()
}
