//! Sessions of checkouts and top-ups of budgets.

use crate::MemoryStore;
use crate::credits::next_number;
use crate::data::{Data, add};
use crate::events::record;
use crate::idempotency::once;
use crate::merchant_profiles::profile;
use crate::money::{store_balances, write_journal};
use crate::pages::paginate;
use crate::settlement_accounts::of_account;
use crate::timelines;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{
    BudgetCredit, CheckoutSession, CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal,
    CreateTopUpSituation, CreatedSession, DueItem, MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus,
    PageTokenHash, PaymentReference, SessionDecision, SessionFilter, SessionRefusal, SessionSituation,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantOrderId};
use florin_domain::merchant::MerchantPermission;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AccountTimeline, CheckoutSessions, CreateSessionCommand, CreateTopUpCommand, Due, FoundSession, Mode,
    SessionCommand, StoreError, WriteError, Written,
};
use std::collections::BTreeSet;

#[async_trait]
impl CheckoutSessions for MemoryStore {
    async fn find(&self, account: &AccountId, session: CheckoutSessionId) -> Result<Option<FoundSession>, StoreError> {
        Ok(self.read(|data| {
            let found = data.merchants.sessions.get(&(account.clone(), session)).cloned();
            found.map(|session| with_payment(data, session))
        }))
    }

    async fn with_token(&self, token: PageTokenHash) -> Result<Option<FoundSession>, StoreError> {
        Ok(self.read(|data| {
            let found = data.merchants.sessions.values().find(|session| session.token == token).cloned();
            found.map(|session| with_payment(data, session))
        }))
    }

    async fn with_order(
        &self,
        account: &AccountId,
        order: MerchantOrderId,
    ) -> Result<Option<CheckoutSession>, StoreError> {
        Ok(self.read(|data| sessions_of(data, account).find(|session| session.state.order() == Some(order)).cloned()))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: SessionFilter,
        page: PageRequest,
    ) -> Result<Page<CheckoutSession>, StoreError> {
        let matching = |data: &Data| sessions_of(data, account).filter(|one| filter.matches(one)).cloned().collect();
        let mut found: Vec<_> = self.read(matching);
        found.sort_by_key(|session| std::cmp::Reverse((session.created_at, session.id)));
        Ok(paginate(found, page))
    }

    async fn create(
        &self,
        command: CreateSessionCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let account = &command.account;
                profile(data, account).ok_or(WriteError::Absent)?;
                let payee = command.payee.and_then(|payee| data.merchants.payees.get(&(account.clone(), payee)));
                let situation = CreateSessionSituation {
                    known: known(data, account, &command.idempotency_key, false),
                    checkout: data.checkouts.get(&(account.clone(), command.checkout)).cloned(),
                    settlement_accounts: of_account(data, account),
                    payee: payee.cloned(),
                    taken: taken(data, account, &command.references),
                };
                let created = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add_new(data, created)
            })
        })
    }

    async fn create_top_up(
        &self,
        command: CreateTopUpCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let account = &command.account;
                profile(data, account).ok_or(WriteError::Absent)?;
                let situation = CreateTopUpSituation {
                    known: known(data, account, &command.idempotency_key, true),
                    budget: data.budgets.get(&(account.clone(), command.budget)).cloned(),
                    taken: taken(data, account, &command.references),
                };
                let created = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add_new(data, created)
            })
        })
    }

    async fn act(&self, command: SessionCommand) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command).map(|(_, decision)| decision.into()));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let (situation, decision) = decide(data, &command)?;
                let number = situation.budget.map(|credit| credit.number);
                Ok(store(data, decision, number)?)
            })
        })
    }

    async fn due(
        &self,
        account: Option<AccountId>,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<Vec<Due<DueItem>>, StoreError> {
        let mut due: Vec<_> = self.read(|data| {
            let is_covered = |of: &AccountId| match &account {
                Some(account) => of == account,
                None => !data.id_counters.contains_key(of),
            };
            let sessions = data.merchants.sessions.values().filter(|session| is_covered(&session.account));
            let sessions = sessions
                .filter_map(|one| Some(Due { at: one.due_at()?, item: DueItem::Session(one.account.clone(), one.id) }));
            let refunds = data.merchants.payments.values().filter(|payment| is_covered(&payment.account));
            let refunds = refunds.filter_map(|one| {
                let refund = one.refund.as_ref()?;
                Some(Due { at: one.refund_due_at()?, item: DueItem::Refund(one.account.clone(), refund.id) })
            });
            sessions.chain(refunds).filter(|due| due.at <= now).collect()
        });
        due.sort();
        due.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Ok(due)
    }

    async fn due_accounts(&self, real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError> {
        Ok(self.read(|data| {
            let is_due = |account: &AccountId, now: DateTime<Utc>| {
                let mut sessions = data.merchants.sessions.values().filter(|session| session.account == *account);
                let mut payments = data.merchants.payments.values().filter(|payment| payment.account == *account);
                sessions.any(|session| session.due_at().is_some_and(|at| at <= now))
                    || payments.any(|payment| payment.refund_due_at().is_some_and(|at| at <= now))
            };
            let own = data.id_counters.keys().filter_map(|id| data.accounts.get(id));
            let due = own.filter(|account| is_due(&account.id, account.timeline.clock.now(real_now)));
            due.map(timelines::of_account).collect()
        }))
    }
}

fn sessions_of<'d>(data: &'d Data, account: &AccountId) -> impl Iterator<Item = &'d CheckoutSession> {
    data.merchants.sessions.values().filter(move |session| session.account == *account)
}

/// Returns a session with its last payment and its number of payments. A pending payment counts as the last one.
fn with_payment(data: &Data, session: CheckoutSession) -> FoundSession {
    let order = |payment: &&MerchantPayment| {
        (payment.status() == MerchantPaymentStatus::Pending, payment.created_at, payment.id)
    };
    let attempts = payments_of(data, &session).fold(0, |count, _| count + 1);
    FoundSession { last: payments_of(data, &session).max_by_key(order).cloned(), session, attempts }
}

/// Returns the pending payment of a session.
fn pending(data: &Data, session: &CheckoutSession) -> Option<MerchantPayment> {
    payments_of(data, session).find(|payment| payment.status() == MerchantPaymentStatus::Pending).cloned()
}

fn payments_of<'a>(data: &'a Data, session: &'a CheckoutSession) -> impl Iterator<Item = &'a MerchantPayment> {
    data.merchants.payments.values().filter(|payment| {
        payment.account == session.account
            && payment.session == session.id
            && payment.kind() == MerchantPaymentKind::Payment
    })
}

/// Returns the session or top-up with this idempotency key.
fn known(data: &Data, account: &AccountId, key: &str, is_top_up: bool) -> Option<CheckoutSession> {
    let mut own = sessions_of(data, account).filter(|one| one.purpose.budget().is_some() == is_top_up);
    own.find(|session| session.idempotency_key == key).cloned()
}

fn taken(data: &Data, account: &AccountId, references: &[PaymentReference]) -> BTreeSet<PaymentReference> {
    let own = sessions_of(data, account).map(|session| &session.payment_reference);
    own.filter(|reference| references.contains(reference)).cloned().collect()
}

fn add_new<R>(data: &mut Data, created: CreatedSession) -> Result<CreatedSession, WriteError<R>> {
    if created.is_new {
        let session = &created.session;
        add(&mut data.merchants.sessions, (session.account.clone(), session.id), session.clone())?;
    }
    Ok(created)
}

/// Decides a change of a session without storing it.
fn decide(
    data: &Data,
    command: &SessionCommand,
) -> Result<(SessionSituation, SessionDecision), WriteError<SessionRefusal>> {
    let key = (command.account.clone(), command.session);
    let session = data.merchants.sessions.get(&key).cloned().ok_or(WriteError::Absent)?;
    let situation = situation(data, session)?;
    let decision = (command.decide)(&situation).map_err(WriteError::Refused)?;
    Ok((situation, decision))
}

fn situation(data: &Data, session: CheckoutSession) -> Result<SessionSituation, StoreError> {
    let budget = match session.purpose.budget() {
        Some(budget) => match data.budgets.get(&(session.account.clone(), budget)) {
            Some(budget) => Some(BudgetCredit { budget: budget.clone(), number: next_number(data, &session.account)? }),
            None => None,
        },
        None => None,
    };
    let profile = profile(data, &session.account);
    Ok(SessionSituation {
        pending: pending(data, &session),
        budget,
        may_reconcile: profile.is_some_and(|profile| profile.may(MerchantPermission::Reconciliation)),
        session,
    })
}

fn store(data: &mut Data, decision: SessionDecision, number: Option<i64>) -> Result<CheckoutSession, StoreError> {
    let SessionDecision { session, payments, journal, credited, events } = decision;
    let account = &session.account;
    data.merchants.payments.extend(payments.into_iter().map(|payment| ((account.clone(), payment.id), payment)));
    if let Some(journal) = &journal {
        write_journal(data, journal)?;
    }
    if let (Some(budget), Some(balances), Some(number)) = (session.purpose.budget(), credited, number) {
        let of_budget = (budget, session.amount.currency);
        store_balances(data, account, of_budget, balances)?;
        data.last_payment_numbers.insert((account.clone(), of_budget), number);
    }
    data.merchants.sessions.insert((account.clone(), session.id), session.clone());
    record(data, &events)?;
    Ok(session)
}
