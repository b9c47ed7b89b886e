//! Bugs in disputes.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::card::decide::{
    DisputeDecision, DisputeDone, DisputeRefusal, DisputeSituation, OpenDisputeSituation,
};
use florin_domain::card::{Dispute, DisputeFilter};
use florin_domain::ids::{AccountId, DisputeId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    DisputeCommand, Disputes, ErasePersonCommand, Mode, OpenDisputeCommand, People, Registry, StoreError, WriteError,
    Written,
};
use std::sync::Arc;

impl Mutant {
    /// Erases a person, and stores the disputes as they were before.
    pub(crate) async fn erase_without_disputes(
        &self,
        command: ErasePersonCommand,
    ) -> Result<Vec<AccountId>, StoreError> {
        let everything = PageRequest { limit: 1000, offset: 0 };
        let mut before = Vec::new();
        for account in self.inner.accounts().await? {
            before.extend(Disputes::list(&self.inner, &account.id, DisputeFilter::default(), everything).await?.rows);
        }
        let erased = People::erase(&self.inner, command).await?;
        for dispute in before {
            let (account, id) = (dispute.account.clone(), dispute.id);
            let decide = Arc::new(move |_: &DisputeSituation| {
                Ok(DisputeDecision { dispute: dispute.clone(), disputed: None, message: None })
            });
            let command = DisputeCommand { account, dispute: id, decide, mode: Mode::Commit, claim: None };
            let _ = Disputes::act(&self.inner, command).await;
        }
        Ok(erased)
    }
}

#[async_trait]
impl Disputes for Mutant {
    async fn open(&self, mut command: OpenDisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        command.claim = self.claim(command.claim);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &OpenDisputeSituation| {
            let mut situation = situation.clone();
            if bug == Some(Bug::DisputesUncounted) {
                situation.disputes.clear();
            }
            let mut decision = rule(&situation)?;
            if bug == Some(Bug::ClaimsNotStored) {
                decision.disputed = None;
            }
            Ok(decision)
        });
        self.inner.open(command).await
    }

    async fn act(&self, mut command: DisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        command.claim = self.claim(command.claim);
        if command.mode == Mode::DryRun && self.has(Bug::DryDisputesWrite) {
            let (account, dispute, decide) = (command.account.clone(), command.dispute, Arc::clone(&command.decide));
            let answer = Disputes::act(&self.inner, command).await;
            let committed = DisputeCommand { account, dispute, decide, mode: Mode::Commit, claim: None };
            let _ = Disputes::act(&self.inner, committed).await;
            return answer;
        }
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &DisputeSituation| {
            let mut decision = rule(situation)?;
            match bug {
                Some(Bug::DisputesStay) => decision.dispute.clone_from(&situation.dispute),
                Some(Bug::EvidenceReplaced) => {
                    let last = decision.dispute.evidence.pop();
                    decision.dispute.evidence = last.into_iter().collect();
                }
                _ => {}
            }
            Ok(decision)
        });
        Disputes::act(&self.inner, command).await
    }

    async fn find(&self, account: &AccountId, dispute: DisputeId) -> Result<Option<Dispute>, StoreError> {
        let found = Disputes::find(&self.inner, account, dispute).await?;
        if found.is_some() || !self.has(Bug::DisputesOfAnyAccount) {
            return Ok(found);
        }
        for other in self.inner.accounts().await? {
            if let Some(found) = Disputes::find(&self.inner, &other.id, dispute).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn list(
        &self,
        account: &AccountId,
        mut filter: DisputeFilter,
        page: PageRequest,
    ) -> Result<Page<Dispute>, StoreError> {
        if self.has(Bug::DisputesOfChainsHidden)
            && let Some(token) = filter.transaction.take()
        {
            let mut found = Disputes::list(&self.inner, account, filter, page).await?;
            found.rows.retain(|dispute| dispute.transaction == token);
            found.count = i64::try_from(found.rows.len()).unwrap();
            return Ok(found);
        }
        let mut found = Disputes::list(&self.inner, account, filter, page).await?;
        if self.has(Bug::DisputesOldestFirst) {
            found.rows.reverse();
        }
        Ok(found)
    }
}
