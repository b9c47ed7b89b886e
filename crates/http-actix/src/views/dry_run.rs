//! The result of a dry run in responses.

use super::Amount;
use super::decline::DeclineView;
use florin_domain::ledger::Posting;
use florin_domain::money::Currency;
use florin_ports::DryRun;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The changes that the request would make. Only with `dryRun=true`. Florin extension.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRun)]
pub(crate) struct DryRunView {
    /// The journal postings. They add up to zero in each currency; empty if no money would move.
    postings: Vec<PostingView>,
    /// The balances after the request.
    balances: Vec<BalanceView>,
    /// Why the card message would be declined; null if it would be approved.
    #[schema(nullable = true)]
    explanation: Option<DeclineView>,
}

/// A posting: an amount added to a pool, or taken from it if negative.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRunPosting)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    /// The pool.
    #[schema(pattern = "^(available|held|reserved|card_network|inbound_payments|outbound_payments|\
            fees|payer_banks|merchant_settled)$")]
    pool: &'static str,
    /// The budget that the pool belongs to; null if it belongs to none.
    #[schema(value_type = Option<String>, format = Uuid)]
    budget_id: Option<Uuid>,
    /// The amount. It is negative if the posting reduces the pool.
    #[schema(value_type = String)]
    amount: Amount,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
}

/// The balance of a budget in one currency, after the request.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRunBalance)]
#[serde(rename_all = "camelCase")]
struct BalanceView {
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The ledger balance: the sum of available, held and reserved.
    #[schema(value_type = String)]
    ledger: Amount,
    /// The available balance.
    #[schema(value_type = String)]
    available: Amount,
    /// The amount held by open card authorizations.
    #[schema(value_type = String)]
    held: Amount,
    /// The amount reserved for confirmed payment batches.
    #[schema(value_type = String)]
    reserved: Amount,
}

impl<T> From<&DryRun<T>> for DryRunView {
    fn from(dry_run: &DryRun<T>) -> Self {
        let postings = dry_run.journal.iter().flat_map(|journal| {
            journal.postings().into_iter().map(|posting| PostingView::of(posting, journal.currency))
        });
        let balances = dry_run.balances.iter().map(|((budget, currency), pools)| BalanceView {
            budget_id: budget.0,
            currency_code: currency.code(),
            ledger: Amount(pools.ledger().of(*currency)),
            available: Amount(pools.available().of(*currency)),
            held: Amount(pools.held().of(*currency)),
            reserved: Amount(pools.reserved().of(*currency)),
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
