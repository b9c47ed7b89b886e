//! Events about the money and the objects of an account (contract 6).
//!
//! A rule or an adapter derives events from a decision. The adapter numbers the events of each object, and stores those
//! that have an audience, with their bodies, in the transaction of the decision.

mod audience;
mod body;
mod cause;
mod kind;
mod movement;
mod object;
mod redelivery;
mod stored;
#[cfg(test)]
mod tests;

pub use audience::Audience;
pub use body::{BatchEvent, BatchResult, CardStateChange, EventBody, MerchantPaymentEvent};
pub use kind::{EventKind, EventType};
pub use movement::{BudgetEvent, MovementSource, PaymentMethod};
pub use object::{Event, EventObject};
pub use redelivery::{Redeliveries, Redelivery};
pub use stored::{EventFilter, EventPosition, StoredEvent};
