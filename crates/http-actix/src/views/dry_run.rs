//! The changes that a dry run would make.

use super::Amount;
use super::decline::DeclineView;
use florin_domain::ledger::Posting;
use florin_domain::money::Currency;
use florin_ports::DryRun;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The changes that the request would make; with `dryRun=true` only. Florin extension.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRun)]
pub(crate) struct DryRunView {
    /// The journal postings, empty if no money would move. They add up to zero in each currency.
    postings: Vec<PostingView>,
    /// The balances after the request.
    balances: Vec<BalanceView>,
    /// Why the card message would be declined; null if it would not be.
    #[schema(nullable = true)]
    explanation: Option<DeclineView>,
}

/// A posting to a pool. A negative amount reduces the pool.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRunPosting)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    #[schema(
        pattern = "^(available|held|reserved|card_network|inbound_payments|outbound_payments|fees|payer_banks|merchant_settled)$"
    )]
    pool: &'static str,
    /// The budget; null if the pool does not belong to one.
    #[schema(value_type = Option<String>, format = Uuid)]
    budget_id: Option<Uuid>,
    #[schema(value_type = String)]
    amount: Amount,
    currency_code: &'static str,
}

/// The balance of a budget in one currency.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRunBalance)]
#[serde(rename_all = "camelCase")]
struct BalanceView {
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    currency_code: &'static str,
    /// Ledger balance: the sum of available, held and reserved.
    #[schema(value_type = String)]
    ledger: Amount,
    /// Available balance.
    #[schema(value_type = String)]
    available: Amount,
    /// Held by open card authorizations.
    #[schema(value_type = String)]
    held: Amount,
    /// Reserved for confirmed payment batches.
    #[schema(value_type = String)]
    reserved: Amount,
}

impl<T> From<&DryRun<T>> for DryRunView {
    fn from(dry_run: &DryRun<T>) -> Self {
        let postings = dry_run.journal.iter().flat_map(|journal| {
            journal.postings().into_iter().map(|posting| PostingView::of(posting, journal.currency))
        });
        let balances = dry_run.balances.iter().map(|((budget, currency), held)| BalanceView {
            budget_id: budget.0,
            currency_code: currency.code(),
            ledger: Amount(held.ledger().of(*currency)),
            available: Amount(held.available().of(*currency)),
            held: Amount(held.held().of(*currency)),
            reserved: Amount(held.reserved().of(*currency)),
        });
        Self {
            postings: postings.collect(),
            balances: balances.collect(),
            explanation: dry_run
                .declined
                .as_ref()
                .map(|declined| DeclineView::of(&declined.explanation, declined.currency)),
        }
    }
}

impl PostingView {
    fn of(posting: Posting, currency: Currency) -> Self {
        Self {
            pool: posting.pool.kind(),
            budget_id: posting.pool.budget().map(|budget| budget.0),
            amount: Amount(posting.amount.of(currency)),
            currency_code: currency.code(),
        }
    }
}
