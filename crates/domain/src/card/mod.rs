//! Cards and the messages that card networks send about them (contract 5.1, 5.3 to 5.5).
//!
//! [`decide`] is the core: pure functions from (state, message) to (record, chain, postings, balances).

mod acceptor;
mod chain;
mod conversion;
mod create;
pub mod decide;
mod explanation;
mod history;
mod limit_change;
mod network;
mod record;
mod response;
mod spending;
mod transaction;
mod transition;
mod whole;

pub use acceptor::{Acceptor, AcceptorInput};
pub use chain::{Chain, ChainEnd, ChainKind, ChainState};
pub use conversion::{Conversion, MerchantSide};
pub use create::{CardRequest, CreateCardRefusal, CreateCardSituation, MAX_CARDS, MAX_YEARS, decide_create_card};
pub use explanation::{DeclineExplanation, Rule};
pub use history::{ChainHistory, ExplainedMessage, HoldStep};
pub use limit_change::{
    CardLimits, LimitChange, LimitRefusal, LimitSet, NoSuchLimit, decide_limit, decide_limit_removal,
};
pub use network::Network;
pub use record::{CardFilter, CardOwner, CardRecord};
pub use response::Response;
pub use spending::{LimitSeen, SpendingLimit, SpendingWindow};
pub use transaction::{CardTransaction, MessageKind, TransactionState};
pub use transition::{CardTransition, IllegalTransition, TransitionDecision, TransitionRequest, decide_transition};
pub use whole::{Card, CardState};
