//! What a balance is made of.

use super::{Amount, List, Sum, Time};
use florin_domain::books::{Explanation, Held, KindSum, OpenHold, Pools, Proof, Reservation, Running};
use florin_domain::money::{Currency, Total};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A balance, explained.
#[derive(Serialize, ToSchema)]
#[schema(as = BalanceExplanation)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplanationView {
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// What the balances say.
    balance: PoolsView,
    /// Whether every proof holds: computed, from one consistent read.
    adds_up: bool,
    /// What was compared.
    proofs: Vec<ProofView>,
    /// Movements by kind.
    sums: Vec<KindSumView>,
    /// Journal transactions that touch the budget, newest first.
    postings: List<PostingView>,
    /// Open holds, those that are due first; at most 1000 are told.
    open_holds: OpenHoldsView,
    /// What is reserved for payment batches, the oldest batch first; at most 1000 are told.
    reservations: ReservationsView,
}

/// Amounts in the pools of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetPools)]
struct PoolsView {
    /// All the money: available, held and reserved.
    #[schema(value_type = String)]
    ledger: Sum,
    /// What can be spent.
    #[schema(value_type = String)]
    available: Sum,
    /// What stands behind open card holds.
    #[schema(value_type = String)]
    held: Sum,
    /// What is reserved for payment batches.
    #[schema(value_type = String)]
    reserved: Sum,
}

/// Two sums that must be one.
#[derive(Serialize, ToSchema)]
#[schema(as = BalanceProof)]
struct ProofView {
    #[schema(pattern = "^(available|held|reserved)_is_(postings|open_holds|reservations)$")]
    name: &'static str,
    /// Whether they are.
    holds: bool,
    /// What the balance says.
    #[schema(value_type = String)]
    stated: Sum,
    /// What it was found to be made of.
    #[schema(value_type = String)]
    computed: Sum,
}

/// All movements of one kind, added up.
#[derive(Serialize, ToSchema)]
#[schema(as = MovementSum)]
struct KindSumView {
    /// Why money moved: `credit`, `card`, `batch_reservation` and so on.
    kind: &'static str,
    /// In how many journal transactions.
    #[schema(minimum = 1)]
    count: i64,
    moved: PoolsView,
}

/// A journal transaction, as far as it touches the budget.
#[derive(Serialize, ToSchema)]
#[schema(as = BalancePosting)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    #[schema(value_type = String, format = Uuid)]
    journal_id: Uuid,
    /// Why money moved.
    kind: &'static str,
    /// The card message, credit, payment batch or payment behind it.
    #[schema(value_type = String, format = Uuid)]
    cause_id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// What it moved, by pool.
    moved: PoolsView,
    /// The sum of it and of all older ones.
    balance_after: PoolsView,
}

/// Open holds.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenHolds)]
struct OpenHoldsView {
    /// How many there are.
    #[schema(minimum = 0)]
    count: i64,
    /// What all of them hold.
    #[schema(value_type = String)]
    total: Sum,
    #[schema(max_items = 1000)]
    rows: Vec<OpenHoldView>,
}

/// An open hold of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenHold)]
#[serde(rename_all = "camelCase")]
struct OpenHoldView {
    /// The token of the chain's first message.
    #[schema(value_type = String, format = Uuid)]
    chain_token: Uuid,
    #[schema(value_type = String, format = Uuid)]
    card_id: Uuid,
    #[schema(value_type = String)]
    amount: Amount,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When it is due to expire.
    #[schema(value_type = String, format = DateTime)]
    due_at: Time,
}

/// Reservations.
#[derive(Serialize, ToSchema)]
#[schema(as = Reservations)]
struct ReservationsView {
    /// How many there are.
    #[schema(minimum = 0)]
    count: i64,
    /// What is reserved for all of them.
    #[schema(value_type = String)]
    total: Sum,
    #[schema(max_items = 1000)]
    rows: Vec<ReservationView>,
}

/// What is reserved for an order of a payment batch.
#[derive(Serialize, ToSchema)]
#[schema(as = Reservation)]
#[serde(rename_all = "camelCase")]
struct ReservationView {
    #[schema(value_type = String, format = Uuid)]
    payment_batch_id: Uuid,
    #[schema(value_type = String, format = Uuid)]
    order_id: Uuid,
    /// Where the batch stands.
    #[schema(pattern = "^(confirmed|started)$")]
    status: &'static str,
    /// Amounts and fees of its payments that are not final.
    #[schema(value_type = String)]
    amount: Amount,
}

impl PoolsView {
    fn of(pools: &Pools, currency: Currency) -> Self {
        let sum = |total: Total| Sum(total.of(currency));
        Self {
            ledger: sum(pools.ledger()),
            available: sum(pools.available),
            held: sum(pools.held),
            reserved: sum(pools.reserved),
        }
    }
}

impl From<&Explanation> for ExplanationView {
    fn from(explained: &Explanation) -> Self {
        let currency = explained.currency;
        let sum = |total: Total| Sum(total.of(currency));
        let proof = |proof: &Proof| ProofView {
            name: proof.name.as_str(),
            holds: proof.holds(),
            stated: sum(proof.stated),
            computed: sum(proof.computed),
        };
        let kind = |kind: &KindSum| KindSumView {
            kind: kind.kind.as_str(),
            count: kind.count,
            moved: PoolsView::of(&kind.moved, currency),
        };
        Self {
            budget_id: explained.budget.0,
            currency_code: currency.code(),
            balance: PoolsView::of(&explained.stated, currency),
            adds_up: explained.adds_up(),
            proofs: explained.proofs.iter().map(proof).collect(),
            sums: explained.sums.iter().map(kind).collect(),
            postings: List::new(explained.page, explained.bookings.clone(), |row| posting(&row, currency)),
            open_holds: open_holds(&explained.holds, currency),
            reservations: reservations(&explained.reservations, currency),
        }
    }
}

fn posting(row: &Running, currency: Currency) -> PostingView {
    PostingView {
        journal_id: row.booking.journal.0,
        kind: row.booking.kind.as_str(),
        cause_id: row.booking.cause,
        created_at: Time(row.booking.at),
        moved: PoolsView::of(&row.booking.moved, currency),
        balance_after: PoolsView::of(&row.after, currency),
    }
}

fn open_holds(holds: &Held<OpenHold>, currency: Currency) -> OpenHoldsView {
    let row = |hold: &OpenHold| OpenHoldView {
        chain_token: hold.chain.0,
        card_id: hold.card.0,
        amount: Amount(hold.amount.of(currency)),
        created_at: Time(hold.created_at),
        due_at: Time(hold.due_at),
    };
    let rows = holds.rows.iter().map(row).collect();
    OpenHoldsView { count: holds.count, total: Sum(holds.total.of(currency)), rows }
}

fn reservations(reservations: &Held<Reservation>, currency: Currency) -> ReservationsView {
    let row = |reservation: &Reservation| ReservationView {
        payment_batch_id: reservation.batch.0,
        order_id: reservation.order.0,
        status: reservation.status.as_str(),
        amount: Amount(reservation.amount.of(currency)),
    };
    let rows = reservations.rows.iter().map(row).collect();
    ReservationsView { count: reservations.count, total: Sum(reservations.total.of(currency)), rows }
}
