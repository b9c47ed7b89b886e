//! Bugs in sessions, top-ups, payments and refunds.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, Days, Utc};
use florin_domain::checkout::{
    BankAnswer, CheckoutSession, CreateRefundSituation, CreateSessionRefusal, CreateSessionSituation,
    CreateTopUpRefusal, CreateTopUpSituation, CreatedSession, DueItem, ListedPayment, MerchantPayment,
    MerchantPaymentFilter, MerchantPaymentKind, MerchantPaymentState, MerchantPaymentStatus, PageTokenHash,
    PaymentOverview, PaymentSort, PaymentsSummary, RefundRefusal, RefundSituation, SessionFilter, SessionRefusal,
    SessionSituation, SessionState,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use florin_domain::merchant::CheckoutType;
use florin_domain::money::Minor;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AccountTimeline, CheckoutSessions, CreateRefundCommand, CreateSessionCommand, CreateTopUpCommand, Due, FoundRefund,
    FoundSession, MerchantPayments, Mode, RefundCommand, SessionCommand, StoreError, Timelines, WriteError, Written,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const EVERYTHING: PageRequest = PageRequest { limit: 1_000, offset: 0 };

#[async_trait]
impl CheckoutSessions for Mutant {
    async fn find(&self, account: &AccountId, session: CheckoutSessionId) -> Result<Option<FoundSession>, StoreError> {
        let found = CheckoutSessions::find(&self.inner, account, session).await?;
        if found.is_none() && self.has(Bug::SessionsOfAnyAccount) {
            return CheckoutSessions::find(&self.inner, &AccountId::parse("F2").unwrap(), session).await;
        }
        let Some(found) = found else { return Ok(None) };
        if self.has(Bug::PendingPaymentsHidden) {
            return Ok(Some(FoundSession { last: None, ..found }));
        }
        if !self.has(Bug::LastPaymentById) {
            return Ok(Some(found));
        }
        let kind = Some(MerchantPaymentKind::Payment);
        let filter = MerchantPaymentFilter { kind, session: Some(session), ..MerchantPaymentFilter::default() };
        let payments =
            MerchantPayments::list(&self.inner, account, filter, PaymentSort::NewestFirst, EVERYTHING).await?;
        let Some(listed) = payments.rows.first() else { return Ok(Some(FoundSession { last: None, ..found })) };
        let last = MerchantPayments::find(&self.inner, account, listed.id).await?.map(|found| found.payment);
        Ok(Some(FoundSession { last, ..found }))
    }

    async fn with_token(&self, token: PageTokenHash) -> Result<Option<FoundSession>, StoreError> {
        let found = self.inner.with_token(token).await?;
        if found.is_none() || !self.has(Bug::TokensOfAnySession) {
            return Ok(found);
        }
        let other = AccountId::parse("F2").unwrap();
        let all = CheckoutSessions::list(&self.inner, &other, SessionFilter::default(), EVERYTHING).await?;
        match all.rows.first() {
            Some(session) => CheckoutSessions::find(&self.inner, &other, session.id).await,
            None => Ok(found),
        }
    }

    async fn with_order(
        &self,
        account: &AccountId,
        order: MerchantOrderId,
    ) -> Result<Option<CheckoutSession>, StoreError> {
        let of_other = AccountId::parse("F2").unwrap();
        self.inner.with_order(if self.has(Bug::OrdersOfAnyAccount) { &of_other } else { account }, order).await
    }

    async fn list(
        &self,
        account: &AccountId,
        mut filter: SessionFilter,
        page: PageRequest,
    ) -> Result<Page<CheckoutSession>, StoreError> {
        match self.bug {
            Some(Bug::SessionDaysExclusive) => filter.to = filter.to.and_then(|to| to.checked_sub_days(Days::new(1))),
            Some(Bug::SessionStatusIgnored) => filter.status = None,
            Some(Bug::SessionReferencesIgnored) => filter.merchant_reference = None,
            _ => {}
        }
        let mut found = CheckoutSessions::list(&self.inner, account, filter, page).await?;
        if self.has(Bug::SessionsOldestFirst) {
            found.rows.reverse();
        }
        Ok(found)
    }

    async fn create(
        &self,
        mut command: CreateSessionCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>> {
        command.claim = self.claim(command.claim);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &CreateSessionSituation| {
            let mut situation = situation.clone();
            match bug {
                Some(Bug::SessionsTwice) => situation.known = None,
                Some(Bug::PaymentReferencesTwice) => situation.taken = BTreeSet::new(),
                _ => {}
            }
            rule(&situation)
        });
        CheckoutSessions::create(&self.inner, command).await
    }

    async fn create_top_up(
        &self,
        mut command: CreateTopUpCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::TopUpsShareKeys) {
            let all =
                CheckoutSessions::list(&self.inner, &command.account, SessionFilter::default(), EVERYTHING).await?;
            let known = all.rows.into_iter().find(|session| session.idempotency_key == command.idempotency_key);
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CreateTopUpSituation| {
                rule(&CreateTopUpSituation { known: known.clone(), ..situation.clone() })
            });
        }
        self.inner.create_top_up(command).await
    }

    async fn act(&self, mut command: SessionCommand) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
        command.claim = self.claim(command.claim);
        let seen = CheckoutSessions::find(&self.inner, &command.account, command.session).await?;
        if self.has(Bug::StaleSessions) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &SessionSituation| {
            let mut situation = situation.clone();
            if let (Some(Bug::StaleSessions), Some(seen)) = (bug, seen.clone()) {
                situation.pending = seen.pending().cloned();
                situation.session = seen.session;
            }
            let mut decision = rule(&situation)?;
            match bug {
                Some(Bug::PaymentsOfSessionsNotStored) => decision.payments.clear(),
                Some(Bug::TopUpsNotCredited) => decision.credited = None,
                Some(Bug::TopUpsWithoutJournal) => decision.journal = None,
                Some(Bug::EventsOfSessionsLost) => decision.events.clear(),
                Some(Bug::OrdersLost) => {
                    if let SessionState::Completed { order, .. } = &mut decision.session.state {
                        *order = None;
                    }
                }
                Some(Bug::BegunSessionsForgotten) => {
                    if let SessionState::Open { has_begun } = &mut decision.session.state {
                        *has_begun = false;
                    }
                }
                Some(Bug::BanksOfSessionsNeverAskedAgain) => {
                    if let SessionState::Processing { due_at } = &mut decision.session.state {
                        *due_at = DateTime::<Utc>::MAX_UTC;
                    }
                }
                _ => {}
            }
            Ok(decision)
        });
        let mut answer = CheckoutSessions::act(&self.inner, command).await;
        if let (true, Ok(Written::DryRun(dry_run))) = (self.has(Bug::DryPaymentsHideBalances), &mut answer) {
            dry_run.balances.clear();
        }
        answer
    }

    async fn due(
        &self,
        account: Option<AccountId>,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<Vec<Due<DueItem>>, StoreError> {
        let mut due = CheckoutSessions::due(&self.inner, account.clone(), now, max).await?;
        match self.bug {
            Some(Bug::DueCheckoutsUnordered) => due.reverse(),
            Some(Bug::DueRefundsForgotten) => due.retain(|one| matches!(one.item, DueItem::Session(..))),
            Some(Bug::OwnDueCheckoutsForAll) if account.is_none() => {
                for AccountTimeline { account: own, .. } in self.inner.accounts_with_timeline().await? {
                    due.extend(CheckoutSessions::due(&self.inner, Some(own), now, max).await?);
                }
            }
            _ => {}
        }
        Ok(due)
    }

    async fn due_accounts(&self, real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError> {
        if !self.has(Bug::DueAccountsByRealTime) {
            return CheckoutSessions::due_accounts(&self.inner, real_now).await;
        }
        let mut due = Vec::new();
        for own in self.inner.accounts_with_timeline().await? {
            if !CheckoutSessions::due(&self.inner, Some(own.account.clone()), real_now, 1).await?.is_empty() {
                due.push(own);
            }
        }
        Ok(due)
    }
}

#[async_trait]
impl MerchantPayments for Mutant {
    async fn find(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
    ) -> Result<Option<PaymentOverview>, StoreError> {
        let found = MerchantPayments::find(&self.inner, account, payment).await?;
        Ok(found.map(|overview| PaymentOverview {
            is_refundable: overview.is_refundable
                || self.has(Bug::AlwaysRefundable) && overview.payment.status() == MerchantPaymentStatus::Completed,
            ..overview
        }))
    }

    async fn list(
        &self,
        account: &AccountId,
        mut filter: MerchantPaymentFilter,
        sort: PaymentSort,
        page: PageRequest,
    ) -> Result<Page<ListedPayment>, StoreError> {
        match self.bug {
            Some(Bug::PaymentKindsIgnored) => filter.kind = None,
            Some(Bug::TopUpsAreNoTopUps) if filter.checkout_type == Some(CheckoutType::TopUp) => {
                return Ok(Page { count: 0, rows: Vec::new() });
            }
            Some(Bug::RefundedPaymentsIgnored) => filter.refunded = None,
            _ => {}
        }
        let sort = if self.has(Bug::PaymentSortIgnored) { PaymentSort::NewestFirst } else { sort };
        let mut found = MerchantPayments::list(&self.inner, account, filter, sort, page).await?;
        for row in &mut found.rows {
            match self.bug {
                Some(Bug::OrdersOfFailedPaymentsLost) if row.status == MerchantPaymentStatus::Failed => {
                    row.order = None;
                }
                Some(Bug::ListsIgnoreRefunds) => row.is_refundable |= row.status == MerchantPaymentStatus::Completed,
                _ => {}
            }
        }
        Ok(found)
    }

    async fn summary(&self, account: &AccountId) -> Result<Vec<PaymentsSummary>, StoreError> {
        let mut sums = self.inner.summary(account).await?;
        if self.has(Bug::RefundsAreSummedUp) {
            for sum in &mut sums {
                sum.paid = sum.paid.minus(sum.refunded);
            }
        }
        Ok(sums)
    }

    async fn find_refund(&self, account: &AccountId, refund: RefundId) -> Result<Option<MerchantPayment>, StoreError> {
        let found = self.inner.find_refund(account, refund).await?;
        if found.is_none() && self.has(Bug::RefundsOfAnyAccount) {
            return self.inner.find_refund(&AccountId::parse("F2").unwrap(), refund).await;
        }
        Ok(found)
    }

    async fn refund_with_token(&self, token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError> {
        let mut found = self.inner.refund_with_token(token).await?;
        if let Some(found) = found.as_mut().filter(|_| self.has(Bug::RefundTokensOfAnyAccount)) {
            found.account = AccountId::parse("F2").unwrap();
        }
        Ok(found)
    }

    async fn create_refund(
        &self,
        mut command: CreateRefundCommand,
    ) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        command.claim = self.claim(command.claim);
        if self.has(Bug::RefundsUncounted) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &CreateRefundSituation| {
                rule(&CreateRefundSituation { refunded_or_pending: Minor::ZERO, ..situation.clone() })
            });
        }
        if self.has(Bug::RefundsNeverReleased) {
            let of_payment =
                MerchantPaymentFilter { refunded: Some(command.payment), ..MerchantPaymentFilter::default() };
            let (account, sort) = (&command.account, PaymentSort::NewestFirst);
            let all = MerchantPayments::list(&self.inner, account, of_payment, sort, EVERYTHING).await?;
            let ended = all
                .rows
                .iter()
                .filter(|row| matches!(row.status, MerchantPaymentStatus::Failed | MerchantPaymentStatus::Cancelled))
                .map(|row| row.amount.minor.0);
            let (ended, rule) = (Minor(ended.sum()), Arc::clone(&command.decide));
            command.decide = Arc::new(move |situation: &CreateRefundSituation| {
                let refunded_or_pending = situation.refunded_or_pending.plus(ended).unwrap();
                rule(&CreateRefundSituation { refunded_or_pending, ..situation.clone() })
            });
        }
        self.inner.create_refund(command).await
    }

    async fn act(&self, mut command: RefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        if self.has(Bug::DryRefundsWrite) && command.mode == Mode::DryRun {
            return self.dry_refund_that_writes(command).await;
        }
        command.claim = self.claim(command.claim);
        let (rule, bug) = (Arc::clone(&command.decide), self.bug);
        command.decide = Arc::new(move |situation: &RefundSituation| {
            let mut change = rule(situation)?;
            match bug {
                Some(Bug::RefundsStay) => change.refund.clone_from(&situation.refund),
                Some(Bug::EventsOfRefundsLost) => change.events.clear(),
                Some(Bug::BanksOfRefundsNeverAskedAgain) => {
                    if let MerchantPaymentState::Pending { answer: answer @ Some(BankAnswer::AskAgain(_)), .. } =
                        &mut change.refund.state
                    {
                        *answer = None;
                    }
                }
                _ => {}
            }
            Ok(change)
        });
        MerchantPayments::act(&self.inner, command).await
    }
}
