//! Settings of an account's simulated card network (contract 5.7).

use super::{HoldLife, OverClearing};

/// The card settings of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardSettings {
    /// The life of new holds.
    pub hold_life: HoldLife,
    /// Which clearings above their hold are refused.
    pub over_clearing: OverClearing,
}
