//! Fixed ids: valid UUIDs of version 7. Their second group encodes the kind of object, and their last group the number.

use florin_domain::ids::{BudgetId, ClientId};
use uuid::Uuid;

/// The main demo account: a merchant with budgets, cards and payment batches.
pub const ACCOUNT: &str = "F50091";
/// A second account of the same client, without a merchant profile and without data.
pub const PLAIN_ACCOUNT: &str = "F50092";
/// The account of the other client.
pub const OTHER_ACCOUNT: &str = "F60017";

/// The kind of object that an id identifies.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Client = 1,
    Key = 2,
    Checkout = 3,
    SettlementAccount = 4,
    Budget = 5,
    Card = 6,
    Holder = 7,
    Batch = 8,
    /// A payment order or a payment.
    BatchPart = 9,
    Journal = 10,
    /// A limit of a card.
    Limit = 11,
    Person = 12,
    /// The membership of a person in an account.
    Persona = 13,
    Payee = 14,
    CheckoutSession = 15,
    /// A payment, refund, order or journal transaction of a checkout session.
    CheckoutPart = 16,
}

/// Returns the id `0198c0de-<kind>-7000-8000-<number>`.
pub(super) fn id(kind: Kind, number: u32) -> Uuid {
    const BASE: u128 = 0x0198_c0de_0000_7000_8000_0000_0000_0000;
    Uuid::from_u128(BASE | ((kind as u128) << 80) | u128::from(number))
}

/// The parent budget of every seeded account.
pub fn parent_budget_id() -> BudgetId {
    BudgetId(id(Kind::Budget, 99))
}

/// The client that owns [`ACCOUNT`].
pub fn client_id() -> ClientId {
    ClientId(id(Kind::Client, 1))
}

/// The client that owns [`OTHER_ACCOUNT`].
pub(super) fn other_client_id() -> ClientId {
    ClientId(id(Kind::Client, 2))
}
