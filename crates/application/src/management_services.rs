//! The ports that managing budgets and cards asks, wired by the app.

use florin_ports::{Budgets, CardManagement, Clock, IdSource, Transfers};
use std::sync::Arc;

/// What managing budgets and cards takes.
#[derive(Clone)]
pub struct ManagementServices {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Mints ids.
    pub ids: Arc<dyn IdSource>,
    /// Reads budgets and makes new ones.
    pub budgets: Arc<dyn Budgets>,
    /// Moves money between budgets.
    pub transfers: Arc<dyn Transfers>,
    /// Reads cards, makes them, and changes their states and limits.
    pub cards: Arc<dyn CardManagement>,
}
