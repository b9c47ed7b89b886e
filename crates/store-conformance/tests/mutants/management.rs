//! Bugs in the management of budgets and cards.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::books::PoolSums;
use florin_domain::budget::{
    BudgetFeature, BudgetFilter, BudgetOverview, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation,
    EditBudgetRefusal, EditBudgetSituation, TransferDone, TransferRefusal, TransferSituation,
};
use florin_domain::card::{
    CardFilter, CardLimits, CardProfile, CardRecord, CardSettings, CardState, CardTransition, ChangeCardRefusal,
    Controls, CreateCardRefusal, CreateCardSituation, LimitRefusal, LimitSet, NoSuchLimit, PhysicalCardRefusal,
    PhysicalCardSituation, ReplaceCardRefusal, ReplaceCardSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, LimitId};
use florin_domain::money::Minor;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    Budgets, CardManagement, CardSettingsCommand, ChangeCardCommand, CreateBudgetCommand, CreateCardCommand,
    EditBudgetCommand, LimitCommand, OrderPhysicalCommand, Registry, RemoveLimitCommand, ReplaceCardCommand,
    StoreError, TransferCommand, Transfers, WriteError, Written,
};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

#[async_trait]
impl Budgets for Mutant {
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> {
        let mut found = Budgets::find(&self.inner, account, budget).await?;
        if found.is_none() && self.has(Bug::NoTenantFilterOnBudgets) {
            found = Budgets::find(&self.inner, &AccountId::parse("F2").unwrap(), budget).await?;
        }
        if self.has(Bug::FeaturesNotStored) {
            return Ok(found.map(|record| BudgetRecord { features: BudgetFeature::every(), ..record }));
        }
        Ok(found)
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError> {
        if self.has(Bug::BudgetsNewestFirst) {
            let mut all = Budgets::list(&self.inner, account, filter, PageRequest { limit: 1000, offset: 0 }).await?;
            all.rows.sort_by_key(|record| std::cmp::Reverse(record.budget.id));
            let rows = all.rows.into_iter().skip(usize::try_from(page.offset).unwrap());
            return Ok(Page { count: all.count, rows: rows.take(usize::try_from(page.limit).unwrap()).collect() });
        }
        let Some(currency) = filter.currency.filter(|_| self.has(Bug::CurrenciesOfAnyAccount)) else {
            return Budgets::list(&self.inner, account, filter, page).await;
        };
        let mut all = Budgets::list(&self.inner, account, BudgetFilter { currency: None, ..filter }, page).await?;
        let mut holders = Vec::new();
        for other in self.inner.accounts().await? {
            for record in Budgets::list(&self.inner, &other.id, filter, page).await?.rows {
                holders.extend(record.budget.in_currency(currency).map(|_| record.budget.id));
            }
        }
        all.rows.retain(|record| holders.contains(&record.budget.id));
        all.count = i64::try_from(all.rows.len()).unwrap();
        Ok(all)
    }

    async fn find_with_funds(
        &self,
        account: &AccountId,
        budget: BudgetId,
    ) -> Result<Option<BudgetOverview>, StoreError> {
        let found = Budgets::find_with_funds(&self.inner, account, budget).await?;
        Ok(found.map(|found| self.with_wrong_funds(found)))
    }

    async fn list_with_funds(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetOverview>, StoreError> {
        let mut page = Budgets::list_with_funds(&self.inner, account, filter, page).await?;
        page.rows = page.rows.into_iter().map(|found| self.with_wrong_funds(found)).collect();
        Ok(page)
    }

    async fn edit(
        &self,
        mut command: EditBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::EditsOfAnyAccount)
            && Budgets::find(&self.inner, &command.account, command.budget).await?.is_none()
        {
            command.account = AccountId::parse("F2").unwrap();
        }
        if self.has(Bug::NameChangeLost) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &EditBudgetSituation| {
                let mut edited = rule(situation)?;
                edited.budget.name.clone_from(&situation.record.budget.name);
                Ok(edited)
            });
        }
        if self.has(Bug::RenamesNotCompared) {
            command.name = None;
        }
        Budgets::edit(&self.inner, command).await
    }

    async fn create(
        &self,
        mut command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
        command.claim = self.claim(command.claim);
        if self.is_second && self.has(Bug::NamesPerHandle) {
            // No budget has this name.
            command.name.clear();
        }
        if self.is_second && self.has(Bug::CountersPerHandle) {
            let rule = command.decide;
            command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
                rule(&CreateBudgetSituation { budgets: situation.budgets - 1, ..situation.clone() })
            });
        }
        Budgets::create(&self.inner, command).await
    }
}

impl Mutant {
    /// Returns a budget as a store with a bug in its sums shows it.
    fn with_wrong_funds(&self, mut found: BudgetOverview) -> BudgetOverview {
        if self.has(Bug::FundsBelowBudgetsHidden) {
            found.funds.iter_mut().for_each(|funds| funds.below = PoolSums::default());
        }
        if self.has(Bug::LastNumbersLost) {
            found.funds.iter_mut().for_each(|funds| funds.last_number = None);
        }
        found
    }
}

#[async_trait]
impl Transfers for Mutant {
    async fn transfer(
        &self,
        mut command: TransferCommand,
    ) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::SendersBalanceNotStored) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation| {
                let mut decision = rule(situation)?;
                decision.done.from = situation.from.budget.in_currency(decision.done.transfer.currency).unwrap();
                Ok(decision)
            });
        }
        if self.has(Bug::TransfersHaveOwnNumbers) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation| rule(&TransferSituation { number: 1, ..situation.clone() }));
        }
        self.inner.transfer(command).await
    }
}

#[async_trait]
impl CardManagement for Mutant {
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardProfile>, StoreError> {
        let mut found = CardManagement::find(&self.inner, account, card).await?;
        if let Some(profile) = &mut found
            && self.has(Bug::EmptyNamesAreMissing)
            && profile.record.name.is_empty()
        {
            CardRecord::UNNAMED.clone_into(&mut profile.record.name);
        }
        if let Some(profile) = &mut found
            && self.has(Bug::OnlyTheFirstBudgetKept)
        {
            profile.budgets.truncate(1);
        }
        Ok(found)
    }

    async fn list(
        &self,
        account: &AccountId,
        mut filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardProfile>, StoreError> {
        if self.has(Bug::CardSearchIgnored) {
            filter.search = None;
        }
        if self.has(Bug::OwnersOfCardsIgnored) {
            filter.people = None;
        }
        CardManagement::list(&self.inner, account, filter, page).await
    }

    async fn limits(&self, account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError> {
        self.inner.limits(account, card).await
    }

    async fn transitions(
        &self,
        account: &AccountId,
        card: CardId,
        mut page: PageRequest,
    ) -> Result<Option<Page<CardTransition>>, StoreError> {
        if self.has(Bug::TransitionsOnOnePage) {
            page.offset = 0;
        }
        let mut found = self.inner.transitions(account, card, page).await?;
        for moved in found.iter_mut().flat_map(|page| &mut page.rows).filter(|_| self.has(Bug::ReasonsTrimmed)) {
            moved.reason = moved.reason.as_ref().map(|reason| reason.trim().to_owned());
        }
        Ok(found)
    }

    async fn create(
        &self,
        mut command: CreateCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>> {
        command.claim = self.claim(command.claim);
        let inactive = CardFilter { states: vec![CardState::Suspended], ..CardFilter::default() };
        let inactive =
            CardManagement::list(&self.inner, &command.account, inactive, PageRequest::default()).await?.count;
        let missed = match self.bug {
            Some(Bug::CardCountersPerHandle) => u64::from(self.is_second),
            Some(Bug::ActiveCardsCount) => inactive.unsigned_abs(),
            _ => 0,
        };
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &CreateCardSituation| {
            rule(&CreateCardSituation { cards: situation.cards - missed, ..situation.clone() })
        });
        CardManagement::create(&self.inner, command).await
    }

    async fn change(
        &self,
        mut command: ChangeCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::CardStateNotStored) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |card| {
                let mut decision = rule(card)?;
                decision.card.card.state = card.card.card.state;
                Ok(decision)
            });
        }
        self.inner.change(command).await
    }

    async fn replace(
        &self,
        mut command: ReplaceCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>> {
        command.claim = self.claim(command.claim);
        let rule = Arc::clone(&command.decide);
        if self.has(Bug::ReplacedCardForgetsItsLimits) {
            command.decide = Arc::new(move |situation: &ReplaceCardSituation| {
                let mut decision = rule(situation)?;
                decision.limits.limits.clear();
                Ok(decision)
            });
        } else if self.has(Bug::ReplacedCardForgetsItsControls) {
            command.decide = Arc::new(move |situation: &ReplaceCardSituation| {
                let mut decision = rule(situation)?;
                decision.new.controls = Controls::default();
                Ok(decision)
            });
        }
        self.inner.replace(command).await
    }

    async fn order_physical(
        &self,
        mut command: OrderPhysicalCommand,
    ) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>> {
        command.claim = self.claim(command.claim);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &PhysicalCardSituation| {
            let mut situation = situation.clone();
            if bug == Some(Bug::PhysicalOrdersHidden) {
                situation.ordered.clear();
            }
            let mut decision = rule(&situation)?;
            if bug == Some(Bug::RecipientsLost) {
                decision.card.physical.iter_mut().for_each(|physical| physical.recipient = None);
            }
            Ok(decision)
        });
        self.inner.order_physical(command).await
    }

    async fn set_limit(&self, mut command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::LimitChangeForgets) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |limits| {
                let mut set = rule(limits)?;
                set.limit.spent = Minor::ZERO;
                Ok(set)
            });
        }
        self.inner.set_limit(command).await
    }

    async fn remove_limit(&self, mut command: RemoveLimitCommand) -> Result<Written<LimitId>, WriteError<NoSuchLimit>> {
        command.claim = self.claim(command.claim);
        self.inner.remove_limit(command).await
    }

    async fn settings(&self, account: &AccountId) -> Result<CardSettings, StoreError> {
        self.inner.settings(account).await
    }

    async fn set_settings(
        &self,
        mut command: CardSettingsCommand,
    ) -> Result<Written<CardSettings>, WriteError<Infallible>> {
        command.claim = self.claim(command.claim);
        let rule = Arc::clone(&command.decide);
        if self.has(Bug::SettingsOfAnyAccount) {
            let mine = CardSettingsCommand {
                account: AccountId::parse("F1").unwrap(),
                decide: Arc::clone(&rule),
                claim: None,
            };
            self.inner.set_settings(mine).await?;
        }
        if self.has(Bug::SettingsReplaceEachOther) {
            command.decide = Arc::new(move |_| rule(&CardSettings::default()));
        } else if self.has(Bug::SettingsStale) {
            let stale = self.inner.settings(&command.account).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
            command.decide = Arc::new(move |_| rule(&stale));
        }
        self.inner.set_settings(command).await
    }
}
