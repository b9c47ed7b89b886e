//! Settings of an account's simulated card network (contract 5.7).

use super::{HoldLife, OverClearing};

/// The settings of an account: how long new holds last, and which clearings above a hold are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardSettings {
    /// How long new holds last.
    pub hold_life: HoldLife,
    /// Which clearings above their hold are refused.
    pub over_clearing: OverClearing,
}
