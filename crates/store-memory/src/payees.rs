//! Payees.

use crate::MemoryStore;
use crate::data::{add, replace};
use crate::idempotency::once;
use crate::merchant_profiles::profile;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, PayeeId};
use florin_domain::merchant::{
    CreatePayeeRefusal, CreatePayeeSituation, CreatedPayee, Payee, PayeeFilter, PayeeRefusal,
};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{ApprovePayeeCommand, CreatePayeeCommand, Payees, StoreError, WriteError, Written};

#[async_trait]
impl Payees for MemoryStore {
    async fn find(&self, account: &AccountId, payee: PayeeId) -> Result<Option<Payee>, StoreError> {
        Ok(self.read(|data| data.merchants.payees.get(&(account.clone(), payee)).cloned()))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: PayeeFilter,
        page: PageRequest,
    ) -> Result<Page<Payee>, StoreError> {
        let matches = |payee: &&Payee| payee.account == *account && filter.matches(payee);
        let mut found: Vec<_> = self.read(|data| data.merchants.payees.values().filter(matches).cloned().collect());
        found.sort_by_key(|payee| std::cmp::Reverse((payee.created_at, payee.id)));
        Ok(paginate(found, page))
    }

    async fn create(
        &self,
        command: CreatePayeeCommand,
    ) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let account = &command.account;
                let own = data.merchants.payees.values().filter(|payee| payee.account == *account);
                let situation = CreatePayeeSituation {
                    profile: profile(data, account).ok_or(WriteError::Absent)?,
                    known: own.clone().find(|payee| payee.details == command.details).cloned(),
                    payees: u64::try_from(own.count()).unwrap_or(u64::MAX),
                };
                let created = (command.decide)(&situation).map_err(WriteError::Refused)?;
                if created.is_new {
                    add(&mut data.merchants.payees, (account.clone(), created.payee.id), created.payee.clone())?;
                }
                Ok(created)
            })
        })
    }

    async fn approve(&self, command: ApprovePayeeCommand) -> Result<Written<Payee>, WriteError<PayeeRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let key = (command.account.clone(), command.payee);
                let payee = data.merchants.payees.get(&key).cloned().ok_or(WriteError::Absent)?;
                let decided = (command.decide)(&payee).map_err(WriteError::Refused)?;
                replace(&mut data.merchants.payees, &key, decided.clone())?;
                Ok(decided)
            })
        })
    }
}
