//! Cards and the messages that card networks send about them (contract 5.1, 5.3 to 5.5).
//!
//! [`decide`] contains the rules for messages: pure functions from a situation and a message to a decision.

mod acceptor;
mod chain;
mod change;
mod controls;
mod conversion;
mod create;
pub mod decide;
mod decision_endpoint;
mod dispute;
mod dispute_state;
mod endpoint_decision;
mod explanation;
mod guards;
mod history;
mod hold_life;
mod holder;
mod limit;
mod limit_change;
mod limit_counts;
mod name;
mod network;
mod number;
mod over_clearing;
mod phone;
mod physical;
mod pin;
mod point_of_sale;
mod protect;
mod question;
mod recipient;
mod record;
mod replace;
mod response;
mod settings;
mod state;
mod transaction;
mod verification;

pub use acceptor::{Acceptor, AcceptorInput};
pub use chain::{Chain, ChainEnd, ChainKind, ChainState};
pub use change::{
    CardChange, CardChangeRequest, CardTransition, ChangeCardRefusal, ChangeCardSituation, ErasureSituation,
    IllegalTransition, decide_card_change, terminate_for_erasure,
};
pub use controls::{Control, ControlCheck, ControlOwner, ControlledCountry, Controls, MccRange};
pub use conversion::{Conversion, MerchantAmounts};
pub use create::{CardRequest, CreateCardRefusal, CreateCardSituation, MAX_CARDS, MAX_YEARS, decide_create_card};
pub use decision_endpoint::{
    DecisionEndpoint, DecisionTime, EndpointChange, EndpointRefusal, EndpointSettings, put_endpoint, remove_endpoint,
    rotate_endpoint,
};
pub use dispute::{
    Dispute, DisputeAction, DisputeEvidence, DisputeFilter, DisputeLink, DisputeOutcome, DisputeReason, EvidenceText,
};
pub use dispute_state::{DisputeState, DisputeStatus};
pub use endpoint_decision::{
    DecisionCheck, DecisionCode, DecisionReply, EndpointDecision, Fallback, NoDecision, Verdict,
};
pub use explanation::{DeclineExplanation, Rule};
pub use guards::Guards;
pub use history::{ChainHistory, ExplainedMessage, HoldStep};
pub use hold_life::{HoldLife, HoldLifeRule};
pub use holder::{CardHolder, CardOwnerKind, GrantedBudget, IndividualHolder};
pub use limit::{CardLimit, CarriedUse, LimitCheck, LimitWindow};
pub use limit_change::{
    CardLimits, LimitChange, LimitRefusal, LimitSet, NoSuchLimit, decide_limit, decide_limit_removal,
};
pub use limit_counts::{CountedAmount, CountedKind};
pub use name::{CardName, CardSearch, search_words};
pub use network::Network;
pub use number::CardNumber;
pub use over_clearing::OverClearing;
pub use phone::{CardPhone, PhoneNumber};
pub use physical::{
    NewPhysicalCard, PhysicalCardRefusal, PhysicalCardRequest, PhysicalCardSituation, decide_physical_card,
};
pub use pin::{Pin, PinDigest};
pub use point_of_sale::{EntryMode, PointOfSale};
pub use protect::{decide_card_controls, decide_card_pin};
pub use question::DecisionQuestion;
pub use recipient::{PhysicalCard, RecipientAddress};
pub use record::{CardBudget, CardFilter, CardProfile, CardRecord, FulfillmentStatus};
pub use replace::{CardReplacement, ReplaceCardRefusal, ReplaceCardRequest, ReplaceCardSituation, decide_replacement};
pub use response::Response;
pub use settings::CardSettings;
pub use state::{Card, CardState};
pub use transaction::{CardTransaction, MessageDetails, MessageKind, TransactionState};
pub use verification::{
    Cardholder, Match, MultiClearing, SecurityCode, ThreeDSecure, Verification, WalletToken, WalletTokenState,
};
