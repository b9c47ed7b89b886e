//! The explanation of a balance in responses.

use super::{Amount, List, Sum, Time};
use florin_domain::books::{
    BalanceExplanation, KindSum, OpenHold, OpenItems, PoolSums, Proof, Reservation, RunningBalance,
};
use florin_domain::money::{Currency, Total};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The composition of a balance, with proofs that it adds up.
#[derive(Serialize, ToSchema)]
#[schema(as = BalanceExplanation)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplanationView {
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The stored balance, by pool.
    balance: PoolsView,
    /// Whether every proof holds. All numbers come from one consistent read of the store.
    adds_up: bool,
    /// The comparisons of the stored balance with its components.
    proofs: Vec<ProofView>,
    /// The sums of all movements, by kind.
    sums: Vec<KindSumView>,
    /// The journal transactions with postings to the budget, newest first.
    postings: List<PostingView>,
    /// The open holds, by the time at which they expire. At most 1,000 are listed.
    open_holds: OpenHoldsView,
    /// The reservations of payment batches, oldest batch first. At most 1,000 are listed.
    reservations: ReservationsView,
}

/// Amounts in the pools of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetPools)]
struct PoolsView {
    /// The ledger balance: the sum of available, held and reserved.
    #[schema(value_type = String)]
    ledger: Sum,
    /// The available amount.
    #[schema(value_type = String)]
    available: Sum,
    /// The amount held by open card authorizations.
    #[schema(value_type = String)]
    held: Sum,
    /// The amount reserved for confirmed payment batches.
    #[schema(value_type = String)]
    reserved: Sum,
}

/// A comparison of two sums that must be equal.
#[derive(Serialize, ToSchema)]
#[schema(as = BalanceProof)]
struct ProofView {
    /// The name of the proof.
    #[schema(pattern = "^(available|held|reserved)_is_(postings|open_holds|reservations)$")]
    name: &'static str,
    /// Whether the sums are equal.
    holds: bool,
    /// The amount of the stored balance.
    #[schema(value_type = String)]
    stated: Sum,
    /// The sum of the components.
    #[schema(value_type = String)]
    computed: Sum,
}

/// The sum of all movements of one kind.
#[derive(Serialize, ToSchema)]
#[schema(as = MovementSum)]
struct KindSumView {
    /// The kind of movement: `credit`, `card`, `batch_reservation` and so on.
    kind: &'static str,
    /// Number of journal transactions of this kind.
    #[schema(minimum = 1)]
    count: i64,
    /// The sums of the movements, by pool.
    moved: PoolsView,
}

/// The postings of one journal transaction to the budget.
#[derive(Serialize, ToSchema)]
#[schema(as = BalancePosting)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    /// The id of the journal transaction.
    #[schema(value_type = String, format = Uuid)]
    journal_id: Uuid,
    /// The kind of movement.
    kind: &'static str,
    /// The id of the card message, credit, payment batch, payment or other object that caused the movement.
    #[schema(value_type = String, format = Uuid)]
    cause_id: Uuid,
    /// When the money moved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// The amounts moved, by pool.
    moved: PoolsView,
    /// The balance after the journal transaction.
    balance_after: PoolsView,
}

/// The open holds of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenHolds)]
struct OpenHoldsView {
    /// Number of open holds.
    #[schema(minimum = 0)]
    count: i64,
    /// The sum of the open holds.
    #[schema(value_type = String)]
    total: Sum,
    /// The open holds, at most 1,000.
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
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_id: Uuid,
    /// The amount that is held.
    #[schema(value_type = String)]
    amount: Amount,
    /// When the first message was sent.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the hold expires.
    #[schema(value_type = String, format = DateTime)]
    due_at: Time,
}

/// The reservations of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = Reservations)]
struct ReservationsView {
    /// Number of reservations.
    #[schema(minimum = 0)]
    count: i64,
    /// The sum of the reservations.
    #[schema(value_type = String)]
    total: Sum,
    /// The reservations, at most 1,000.
    #[schema(max_items = 1000)]
    rows: Vec<ReservationView>,
}

/// The reservation of one order of a payment batch.
#[derive(Serialize, ToSchema)]
#[schema(as = Reservation)]
#[serde(rename_all = "camelCase")]
struct ReservationView {
    /// The id of the batch.
    #[schema(value_type = String, format = Uuid)]
    payment_batch_id: Uuid,
    /// The id of the order.
    #[schema(value_type = String, format = Uuid)]
    order_id: Uuid,
    /// The status of the batch.
    #[schema(pattern = "^(confirmed|started)$")]
    status: &'static str,
    /// The amounts and fees of the order's payments that are not final yet.
    #[schema(value_type = String)]
    amount: Amount,
}

impl PoolsView {
    fn of(pools: &PoolSums, currency: Currency) -> Self {
        let sum = |total: Total| Sum(total.of(currency));
        Self {
            ledger: sum(pools.ledger()),
            available: sum(pools.available),
            held: sum(pools.held),
            reserved: sum(pools.reserved),
        }
    }
}

impl From<&BalanceExplanation> for ExplanationView {
    fn from(explained: &BalanceExplanation) -> Self {
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
            postings: List::new(explained.page, explained.bookings.clone(), |row| posting_view(&row, currency)),
            open_holds: open_holds_view(&explained.holds, currency),
            reservations: reservations_view(&explained.reservations, currency),
        }
    }
}

fn posting_view(row: &RunningBalance, currency: Currency) -> PostingView {
    PostingView {
        journal_id: row.booking.journal.0,
        kind: row.booking.kind.as_str(),
        cause_id: row.booking.cause,
        created_at: Time(row.booking.at),
        moved: PoolsView::of(&row.booking.moved, currency),
        balance_after: PoolsView::of(&row.after, currency),
    }
}

fn open_holds_view(holds: &OpenItems<OpenHold>, currency: Currency) -> OpenHoldsView {
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

fn reservations_view(reservations: &OpenItems<Reservation>, currency: Currency) -> ReservationsView {
    let row = |reservation: &Reservation| ReservationView {
        payment_batch_id: reservation.batch.0,
        order_id: reservation.order.0,
        status: reservation.status.as_str(),
        amount: Amount(reservation.amount.of(currency)),
    };
    let rows = reservations.rows.iter().map(row).collect();
    ReservationsView { count: reservations.count, total: Sum(reservations.total.of(currency)), rows }
}
