//! Disputes compared with the journal and with the chains that they contest.

use crate::ids::DisputeId;
use crate::money::{Currency, Minor, Total};

/// What a dispute, its chain and the journal say about its money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisputeBooks {
    /// The dispute.
    pub dispute: DisputeId,
    /// The currency of its card.
    pub currency: Currency,
    /// The amount that the budget has because of its status.
    pub expected: Minor,
    /// What the journal says that its messages paid to the budget.
    pub credited: Total,
    /// What the disputed chain says that disputes claim of it.
    pub stated: Minor,
    /// The sum of the open and the won disputes of that chain.
    pub claimed: Total,
    /// What that chain has cleared.
    pub cleared: Minor,
}

impl DisputeBooks {
    /// Whether the dispute has moved what it should, and its chain knows what is claimed and has cleared it.
    pub fn agrees(&self) -> bool {
        self.credited == self.expected.into()
            && self.claimed == self.stated.into()
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
            stated: Minor(6),
            claimed: Total(6),
            cleared: Minor(6),
        };
        assert!(good.agrees());
        for bad in [
            DisputeBooks { credited: Total(3), ..good },
            DisputeBooks { expected: Minor::ZERO, ..good },
            DisputeBooks { stated: Minor(5), ..good },
            DisputeBooks { claimed: Total(7), stated: Minor(7), ..good },
            DisputeBooks { cleared: Minor(5), ..good },
        ] {
            assert!(!bad.agrees(), "{bad:?}");
        }
    }
}
