//! The ports of real-time decisions, connected by the app.

use florin_domain::card::DecisionQuestion;
use florin_domain::ids::EventId;
use florin_ports::{DecisionAsker, DecisionEndpoints, StoreError};
use std::sync::Arc;

/// The ports for managing and asking the endpoints of accounts.
#[derive(Clone)]
pub struct DecisionServices {
    /// Stores endpoints.
    pub endpoints: Arc<dyn DecisionEndpoints>,
    /// Asks endpoints.
    pub asker: Arc<dyn DecisionAsker>,
    /// Renders a question.
    pub render: RenderQuestion,
    /// Called with the outcome of each question: `approve`, `decline`, `partial`, or why there is no decision.
    pub observe: Arc<dyn Fn(&'static str) + Send + Sync>,
}

/// A question to render: its id, and whether it is about a dry run.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The id.
    pub id: EventId,
    /// What is asked.
    pub question: &'a DecisionQuestion,
    /// Whether the message is a dry run, so that nothing follows from the decision.
    pub is_preview: bool,
}

/// Renders a question as JSON.
pub type RenderQuestion = Arc<dyn Fn(Asking<'_>) -> Result<String, StoreError> + Send + Sync>;
