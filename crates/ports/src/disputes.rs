//! Disputes of card transactions, decided under the lock of their budget.

use crate::{Decide, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::card::decide::{
    DisputeDecision, DisputeDone, DisputeRefusal, DisputeSituation, OpenDisputeSituation,
};
use florin_domain::card::{Dispute, DisputeFilter};
use florin_domain::ids::{AccountId, DisputeId, TransactionToken};
use florin_domain::page::{Page, PageRequest};

/// A command to dispute a transaction.
pub struct OpenDisputeCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The token of the disputed message, which must be the account's.
    pub transaction: TransactionToken,
    /// The rule.
    pub decide: Decide<OpenDisputeSituation, Result<DisputeDecision, DisputeRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<DisputeDone>>,
}

/// A command to act on a dispute.
pub struct DisputeCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The dispute, which must be the account's.
    pub dispute: DisputeId,
    /// The rule. It changes neither the disputed message nor the amount, and adds evidence only at the end.
    pub decide: Decide<DisputeSituation, Result<DisputeDecision, DisputeRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<DisputeDone>>,
}

/// Stores disputes, with the promises of [`crate::CardLedger`]: disputes and messages of one budget see each other's
/// effects.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Disputes: Send + Sync {
    /// Decides whether a transaction can be disputed, and stores the dispute. The rule sees all disputes of the chain
    /// of the transaction, in any order. `Absent`: no message with that token on the account.
    async fn open(&self, command: OpenDisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>>;

    /// Decides an action on a dispute, and stores the dispute and any message that the action causes. `Absent`: no such
    /// dispute on the account.
    async fn act(&self, command: DisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>>;

    /// Returns a dispute with its evidence, oldest first. `None`: no such dispute on the account.
    async fn find(&self, account: &AccountId, dispute: DisputeId) -> Result<Option<Dispute>, StoreError>;

    /// Lists the account's matching disputes with their evidence, newest first by creation, then by id descending. The
    /// count ignores the page. Each call reads one consistent view.
    async fn list(
        &self,
        account: &AccountId,
        filter: DisputeFilter,
        page: PageRequest,
    ) -> Result<Page<Dispute>, StoreError>;
}
