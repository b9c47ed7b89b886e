//! Disputes of card transactions.

use crate::MemoryStore;
use crate::cards::{chain_situation, save};
use crate::data::{Data, replace};
use crate::idempotency::once;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::card::decide::{
    DisputeDecision, DisputeDone, DisputeRefusal, DisputeSituation, OpenDisputeSituation,
};
use florin_domain::card::{Dispute, DisputeFilter};
use florin_domain::ids::{AccountId, DisputeId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{DisputeCommand, Disputes, DryRun, Mode, OpenDisputeCommand, StoreError, WriteError, Written};
use std::cmp::Reverse;

#[async_trait]
impl Disputes for MemoryStore {
    async fn open(&self, command: OpenDisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide_opening(data, &command).map(DryRun::from));
        }
        self.decide(|data| once(data, command.claim.as_ref(), |data| store(data, decide_opening(data, &command)?)))
    }

    async fn act(&self, command: DisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command).map(DryRun::from));
        }
        self.decide(|data| once(data, command.claim.as_ref(), |data| store(data, decide(data, &command)?)))
    }

    async fn find(&self, account: &AccountId, dispute: DisputeId) -> Result<Option<Dispute>, StoreError> {
        Ok(self.read(|data| data.disputes.get(&(account.clone(), dispute)).cloned()))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: DisputeFilter,
        page: PageRequest,
    ) -> Result<Page<Dispute>, StoreError> {
        let mut found: Vec<_> = self.read(|data| {
            let of_account = data.disputes.values().filter(|dispute| dispute.account == *account);
            of_account.filter(|dispute| filter.matches(dispute)).cloned().collect()
        });
        found.sort_by_key(|dispute| Reverse((dispute.created_at, dispute.id)));
        Ok(paginate(found, page))
    }
}

/// Decides the opening of a dispute without storing it.
fn decide_opening(data: &Data, command: &OpenDisputeCommand) -> Result<DisputeDecision, WriteError<DisputeRefusal>> {
    let account = &command.account;
    let disputed = chain_situation(data, account, command.transaction)?.ok_or(WriteError::Absent)?;
    let transaction = data.messages.get(&(account.clone(), command.transaction)).ok_or(WriteError::Absent)?.clone();
    let of_chain = |dispute: &&Dispute| dispute.account == *account && dispute.chain == transaction.chain;
    let known = data.disputes.values().filter(of_chain).cloned().collect();
    (command.decide)(&OpenDisputeSituation { disputed, transaction, disputes: known }).map_err(WriteError::Refused)
}

/// Decides about a dispute without storing it.
fn decide(data: &Data, command: &DisputeCommand) -> Result<DisputeDecision, WriteError<DisputeRefusal>> {
    let account = &command.account;
    let dispute = data.disputes.get(&(account.clone(), command.dispute)).ok_or(WriteError::Absent)?.clone();
    let lost = || StoreError::Corrupt("a dispute without its transaction".into());
    let disputed = chain_situation(data, account, dispute.transaction)?.ok_or_else(lost)?;
    let credit = dispute.credit.and_then(|credit| data.chains.get(&(account.clone(), credit)).cloned());
    (command.decide)(&DisputeSituation { dispute, disputed, credit }).map_err(WriteError::Refused)
}

fn store(data: &mut Data, decision: DisputeDecision) -> Result<DisputeDone, WriteError<DisputeRefusal>> {
    let done = DisputeDone::from(&decision);
    let DisputeDecision { dispute, disputed, message } = decision;
    if let Some(chain) = disputed {
        replace(&mut data.chains, &(chain.account.clone(), chain.id), chain)?;
    }
    if let Some(message) = &message {
        save(data, message)?;
    }
    data.disputes.insert((dispute.account.clone(), dispute.id), dispute);
    Ok(done)
}
