//! Disputes compared with the journal and with the disputed chains.

use crate::ids::DisputeId;
use crate::money::{Currency, Minor, Total};

/// The money of a dispute, as the dispute, the disputed chain and the journal state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisputeBooks {
    /// The dispute.
    pub dispute: DisputeId,
    /// The currency of its card.
    pub currency: Currency,
    /// The amount that the dispute must have credited to the budget, by its status.
    pub expected: Minor,
    /// The amount that its messages have credited to the budget, by the journal.
    pub credited: Total,
    /// The claim that the disputed chain stores.
    pub stored_claim: Minor,
    /// The sum of the open and the won disputes of that chain.
    pub claimed: Total,
    /// The cleared amount of that chain.
    pub cleared: Minor,
}

impl DisputeBooks {
    /// Whether the dispute has credited the expected amount, and the disputed chain stores the correct claim and has
    /// cleared at least this amount.
    pub fn agrees(&self) -> bool {
        self.credited == self.expected.into()
            && self.claimed == self.stored_claim.into()
            && self.claimed <= self.cleared.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn each_difference_is_found() {
        let good = DisputeBooks {
            dispute: DisputeId(Uuid::nil()),
            currency: Currency::parse("GBP").unwrap(),
            expected: Minor(4),
            credited: Total(4),
            stored_claim: Minor(6),
            claimed: Total(6),
            cleared: Minor(6),
        };
        assert!(good.agrees());
        for bad in [
            DisputeBooks { credited: Total(3), ..good },
            DisputeBooks { expected: Minor::ZERO, ..good },
            DisputeBooks { stored_claim: Minor(5), ..good },
            DisputeBooks { claimed: Total(7), stored_claim: Minor(7), ..good },
            DisputeBooks { cleared: Minor(5), ..good },
        ] {
            assert!(!bad.agrees(), "{bad:?}");
        }
    }
}
