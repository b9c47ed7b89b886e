//! Sources and types of movements.

use crate::card::MessageKind;

/// The source of a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActivitySource {
    /// Messages about cards.
    Card,
    /// Credits: money that arrived in a budget.
    Credit,
    /// Payments of batches.
    Payment,
    /// Transfers between budgets.
    Transfer,
    /// Top-ups of budgets.
    Deposit,
}

impl ActivitySource {
    /// All sources.
    pub const ALL: [Self; 5] = [Self::Card, Self::Credit, Self::Payment, Self::Transfer, Self::Deposit];
}

/// The type of a movement; its wire name is the `type` of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivityType {
    /// A card message. Each message is a movement, under the type of its record.
    Card(MessageKind),
    /// A credit to a budget.
    Credit,
    /// A payment of a batch.
    Payment,
    /// A transfer between two budgets.
    Transfer,
    /// A top-up of a budget.
    Deposit,
}

impl ActivityType {
    /// All types.
    pub const ALL: [Self; MessageKind::ALL.len() + 4] = {
        let mut all = [Self::Credit; MessageKind::ALL.len() + 4];
        let mut place = 0;
        while place < MessageKind::ALL.len() {
            all[place] = Self::Card(MessageKind::ALL[place]);
            place += 1;
        }
        all[place + 1] = Self::Payment;
        all[place + 2] = Self::Transfer;
        all[place + 3] = Self::Deposit;
        all
    };

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Card(kind) => kind.as_str(),
            Self::Credit => "credit",
            Self::Payment => "payment",
            Self::Transfer => "transfer",
            Self::Deposit => "deposit",
        }
    }

    /// The source of movements of this type.
    pub const fn source(self) -> ActivitySource {
        match self {
            Self::Card(_) => ActivitySource::Card,
            Self::Credit => ActivitySource::Credit,
            Self::Payment => ActivitySource::Payment,
            Self::Transfer => ActivitySource::Transfer,
            Self::Deposit => ActivitySource::Deposit,
        }
    }
}
