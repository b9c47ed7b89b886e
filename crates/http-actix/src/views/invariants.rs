//! The check of an account's books in responses.

use super::{Amount, Sum};
use florin_domain::books::{CounterExample, InvariantReport, InvariantResult};
use florin_domain::ledger::HashChain;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The result of checking the invariants of an account's books.
#[derive(Serialize, ToSchema)]
#[schema(as = Invariants)]
pub(crate) struct InvariantsView {
    /// `holds` if every check holds, otherwise `broken`.
    #[schema(pattern = "^(holds|broken)$")]
    verdict: &'static str,
    /// One check for each invariant.
    checks: Vec<CheckView>,
}

/// The check of one invariant.
#[derive(Serialize, ToSchema)]
#[schema(as = InvariantCheck)]
#[serde(rename_all = "camelCase")]
struct CheckView {
    /// The name of the invariant.
    #[schema(pattern = "^(conservation|balances|holds|reservations|spending_limits|disputes|\
            merchant_(settlements|refunds|sessions)|hash_chains)$")]
    name: &'static str,
    /// Whether the invariant holds.
    #[schema(pattern = "^(holds|broken)$")]
    verdict: &'static str,
    /// Number of objects checked.
    #[schema(minimum = 0)]
    checked: i64,
    /// The first object that violates the invariant; absent if the invariant holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    counter_example: Option<CounterExampleView>,
}

/// The object that violates an invariant: a journal transaction, a pool of a budget, a spending limit, a dispute, a
/// settlement account or payee, a payment, a checkout session, or a hash chain.
#[derive(Serialize, ToSchema)]
#[schema(as = CounterExample)]
#[serde(untagged)]
enum CounterExampleView {
    Transaction(TransactionExample),
    Pool(PoolExample),
    Limit(LimitExample),
    Dispute(DisputeExample),
    Settlement(SettlementExample),
    Refunds(RefundsExample),
    Session(SessionExample),
    Chain(ChainExample),
}

/// A journal transaction with legs that are missing or contradict each other.
#[derive(Serialize, ToSchema)]
#[schema(as = BrokenTransaction)]
#[serde(rename_all = "camelCase")]
struct TransactionExample {
    /// The id of the journal transaction.
    #[schema(value_type = String, format = Uuid)]
    journal_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
}

/// A pool of a budget whose stored balance is wrong.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongPool)]
#[serde(rename_all = "camelCase")]
struct PoolExample {
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The pool.
    #[schema(pattern = "^(available|held|reserved)$")]
    pool: &'static str,
    /// The stored balance.
    #[schema(value_type = String)]
    stated: Sum,
    /// The balance that was computed from the components.
    #[schema(value_type = String)]
    computed: Sum,
}

/// A spending limit with more usage than the card's messages explain.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongLimit)]
#[serde(rename_all = "camelCase")]
struct LimitExample {
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_id: Uuid,
    /// The window of the limit.
    #[schema(pattern = "^(DAY|WEEK|MONTH|LIFETIME)$")]
    limit_window: &'static str,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The stored amount spent in the window.
    #[schema(value_type = String)]
    spent: Amount,
    /// The maximum amount that the card's messages explain.
    #[schema(value_type = String)]
    max_spent: Sum,
    /// The stored number of uses in the window.
    uses: u32,
    /// The maximum number of uses that the card's messages explain.
    max_uses: u64,
}

/// A dispute that does not agree with its messages or with the disputed chain.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongDispute)]
#[serde(rename_all = "camelCase")]
struct DisputeExample {
    /// The id of the dispute.
    #[schema(value_type = String, format = Uuid)]
    dispute_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The amount that the budget should have received because of the dispute.
    #[schema(value_type = String)]
    expected: Amount,
    /// The amount that the messages of the dispute credited to the budget.
    #[schema(value_type = String)]
    credited: Sum,
    /// The total of the disputes' claims that is stored with the disputed chain.
    #[schema(value_type = String)]
    stated: Amount,
    /// The sum of the claims of that chain's OPEN and WON disputes.
    #[schema(value_type = String)]
    claimed: Sum,
    /// The amount that was cleared of that chain.
    #[schema(value_type = String)]
    cleared: Amount,
}

/// A settlement account or payee with a journal that differs from its payments.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongSettlement)]
#[serde(rename_all = "camelCase")]
struct SettlementExample {
    /// The id of the settlement account or payee.
    #[schema(value_type = String, format = Uuid)]
    settled_to: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The sum of the journal's postings.
    #[schema(value_type = String)]
    settled: Sum,
    /// The sum of all COMPLETED payments.
    #[schema(value_type = String)]
    paid: Sum,
    /// The sum of all COMPLETED refunds.
    #[schema(value_type = String)]
    refunded: Sum,
}

/// A payment with refunds above its amount.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongRefunds)]
#[serde(rename_all = "camelCase")]
struct RefundsExample {
    /// The id of the payment.
    #[schema(value_type = String, format = Uuid)]
    payment_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The amount of the payment.
    #[schema(value_type = String)]
    amount: Amount,
    /// The sum of the payment's refunds that are neither FAILED nor CANCELLED.
    #[schema(value_type = String)]
    refunded: Sum,
}

/// A checkout session with a wrong number of COMPLETED payments.
#[derive(Serialize, ToSchema)]
#[schema(as = WrongSession)]
#[serde(rename_all = "camelCase")]
struct SessionExample {
    /// The id of the session.
    #[schema(value_type = String, format = Uuid)]
    checkout_session_id: Uuid,
    /// The status of the session.
    #[schema(pattern = "^(OPEN|PROCESSING|COMPLETED|CANCELLED|ABANDONED|EXPIRED)$")]
    status: &'static str,
    /// Number of COMPLETED payments of the session.
    #[schema(minimum = 0)]
    payments: i64,
}

/// A hash chain of the journal with a leg that was changed, removed or inserted.
#[derive(Serialize, ToSchema)]
#[schema(as = BrokenHashChain)]
#[serde(rename_all = "camelCase")]
struct ChainExample {
    /// The balance of the chain. Absent for the chain of the account's settlements: the payments to the merchant, and
    /// their refunds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    balance: Option<ChainBalance>,
    /// The first leg that does not continue the chain. Absent if the chain as a whole is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    leg: Option<BrokenLeg>,
    /// `not_following`: the leg is not the next one, so legs before it are missing or were moved. `changed`: the hash
    /// of the leg does not match its contents. `other_end`: legs at the end of the chain are missing or were added.
    /// `unlinked`: legs from before the chain are missing or were added.
    #[schema(pattern = "^(not_following|changed|other_end|unlinked)$")]
    reason: &'static str,
}

/// The balance of a hash chain.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChainBalance {
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
}

/// A leg of a journal transaction.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BrokenLeg {
    /// The id of the journal transaction.
    #[schema(value_type = String, format = Uuid)]
    journal_id: Uuid,
    /// The place of the leg in the transaction, from 0.
    #[schema(minimum = 0)]
    line: i64,
}

const fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "broken" }
}

impl From<&InvariantReport> for InvariantsView {
    fn from(report: &InvariantReport) -> Self {
        Self { verdict: verdict(report.holds()), checks: report.checks.iter().map(CheckView::from).collect() }
    }
}

impl From<&InvariantResult> for CheckView {
    fn from(check: &InvariantResult) -> Self {
        Self {
            name: check.invariant.as_str(),
            verdict: verdict(check.counter_example.is_none()),
            checked: check.checked,
            counter_example: check.counter_example.as_ref().map(CounterExampleView::from),
        }
    }
}

impl From<&CounterExample> for CounterExampleView {
    fn from(example: &CounterExample) -> Self {
        match *example {
            CounterExample::Transaction { journal, currency } => {
                Self::Transaction(TransactionExample { journal_id: journal.0, currency_code: currency.code() })
            }
            CounterExample::Pool { budget, currency, pool, stated, computed } => Self::Pool(PoolExample {
                budget_id: budget.0,
                currency_code: currency.code(),
                pool: pool.as_str(),
                stated: Sum(stated.of(currency)),
                computed: Sum(computed.of(currency)),
            }),
            CounterExample::Limit { card, window, currency, spent, max_spent, uses, max_uses } => {
                Self::Limit(LimitExample {
                    card_id: card.0,
                    limit_window: window.as_str(),
                    currency_code: currency.code(),
                    spent: Amount(spent.of(currency)),
                    max_spent: Sum(max_spent.of(currency)),
                    uses,
                    max_uses,
                })
            }
            CounterExample::Dispute(books) => Self::Dispute(DisputeExample {
                dispute_id: books.dispute.0,
                currency_code: books.currency.code(),
                expected: Amount(books.expected.of(books.currency)),
                credited: Sum(books.credited.of(books.currency)),
                stated: Amount(books.stored_claim.of(books.currency)),
                claimed: Sum(books.claimed.of(books.currency)),
                cleared: Amount(books.cleared.of(books.currency)),
            }),
            CounterExample::Settlement { target, currency, books } => Self::Settlement(SettlementExample {
                settled_to: target,
                currency_code: currency.code(),
                settled: Sum(books.settled.of(currency)),
                paid: Sum(books.paid.of(currency)),
                refunded: Sum(books.refunded.of(currency)),
            }),
            CounterExample::Refunds(payment) => Self::Refunds(RefundsExample {
                payment_id: payment.payment.0,
                currency_code: payment.currency.code(),
                amount: Amount(payment.amount.of(payment.currency)),
                refunded: Sum(payment.refunded.of(payment.currency)),
            }),
            CounterExample::Session(session) => Self::Session(SessionExample {
                checkout_session_id: session.session.0,
                status: session.status.as_str(),
                payments: session.payments,
            }),
            CounterExample::Chain { chain, broken } => Self::Chain(ChainExample {
                balance: match chain {
                    HashChain::Balance(budget, currency) => {
                        Some(ChainBalance { budget_id: budget.0, currency_code: currency.code() })
                    }
                    HashChain::Settlements => None,
                },
                leg: broken.leg.map(|(journal, line)| BrokenLeg { journal_id: journal.0, line }),
                reason: broken.reason.as_str(),
            }),
        }
    }
}
