//! Sessions of checkouts, and top-ups of budgets. Each session is decided under its own lock.

use crate::{AccountTimeline, Decide, Due, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{
    CheckoutSession, CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal, CreateTopUpSituation,
    CreatedSession, DueItem, MerchantPayment, MerchantPaymentStatus, PageTokenHash, PaymentReference, SessionDecision,
    SessionFilter, SessionRefusal, SessionSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CheckoutId, CheckoutSessionId, MerchantOrderId, PayeeId};
use florin_domain::page::{Page, PageRequest};

/// A command to create a session of a checkout.
pub struct CreateSessionCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The checkout, which must be the account's.
    pub checkout: CheckoutId,
    /// The payee that the request names, if it names one.
    pub payee: Option<PayeeId>,
    /// The merchant's idempotency key, which is stored with the session. It is not the key of `claim`.
    pub idempotency_key: String,
    /// Candidates for the payment reference. The situation contains those that are already used.
    pub references: Vec<PaymentReference>,
    /// The rule.
    pub decide: Decide<CreateSessionSituation, Result<CreatedSession, CreateSessionRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CreatedSession>>,
}

/// A command to create a top-up of a budget.
pub struct CreateTopUpCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budget, which must be the account's.
    pub budget: BudgetId,
    /// The caller's idempotency key, which is stored with the top-up. It is not the key of `claim`.
    pub idempotency_key: String,
    /// Candidates for the payment reference. The situation contains those that are already used.
    pub references: Vec<PaymentReference>,
    /// The rule.
    pub decide: Decide<CreateTopUpSituation, Result<CreatedSession, CreateTopUpRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CreatedSession>>,
}

/// A command to change a session.
pub struct SessionCommand {
    /// The account of the session.
    pub account: AccountId,
    /// The session, which must be the account's.
    pub session: CheckoutSessionId,
    /// The rule. It changes neither the ids nor the purpose.
    pub decide: Decide<SessionSituation, Result<SessionDecision, SessionRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CheckoutSession>>,
}

/// A session, with its current or last payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSession {
    /// The session.
    pub session: CheckoutSession,
    /// The PENDING payment of the session. If no payment is PENDING, the newest one by creation, then by id. `None`:
    /// the session has no payment.
    pub last: Option<MerchantPayment>,
    /// Number of payments of the session.
    pub attempts: i64,
}

impl FoundSession {
    /// Returns the PENDING payment of the session.
    pub fn pending(&self) -> Option<&MerchantPayment> {
        self.last.as_ref().filter(|payment| payment.status() == MerchantPaymentStatus::Pending)
    }
}

/// Stores sessions with their payments. A decision and its journal transactions, balances and events are stored
/// together or not at all.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CheckoutSessions: Send + Sync {
    /// Returns a session or top-up. `None`: no such session or top-up on the account.
    async fn find(&self, account: &AccountId, session: CheckoutSessionId) -> Result<Option<FoundSession>, StoreError>;

    /// Returns the session with this page token, of any account. Page tokens are unique across accounts.
    async fn with_token(&self, token: PageTokenHash) -> Result<Option<FoundSession>, StoreError>;

    /// Returns the session that has this order. `None`: no such order on the account.
    async fn with_order(
        &self,
        account: &AccountId,
        order: MerchantOrderId,
    ) -> Result<Option<CheckoutSession>, StoreError>;

    /// Lists the account's matching sessions, excluding top-ups, newest first by creation, then by id descending. The
    /// count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: SessionFilter,
        page: PageRequest,
    ) -> Result<Page<CheckoutSession>, StoreError>;

    /// Decides the creation of a session, and stores the session if it is new. Creations on one account are decided
    /// sequentially. No settlement account of the account is deleted while one is decided. `Absent`: the account has no
    /// merchant profile.
    async fn create(
        &self,
        command: CreateSessionCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>>;

    /// Decides the creation of a top-up, and stores the top-up if it is new. Creations on one account are decided
    /// sequentially. `Absent`: the account has no merchant profile.
    async fn create_top_up(
        &self,
        command: CreateTopUpCommand,
    ) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>>;

    /// Decides a change of a session. Changes of one session are decided sequentially. `Absent`: no such session or
    /// top-up on the account.
    async fn act(&self, command: SessionCommand) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>>;

    /// Returns sessions and refunds on which something is due at a given time, at most `max`, ordered by time, then by
    /// item. A session or refund that is due again after a step is ordered by its new time. If `account` is `None`,
    /// returns those of all accounts without a timeline of their own.
    async fn due(
        &self,
        account: Option<AccountId>,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<Vec<Due<DueItem>>, StoreError>;

    /// Returns the accounts with their own timeline on which something is due by that timeline at a given real time, by
    /// id.
    async fn due_accounts(&self, real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError>;
}
