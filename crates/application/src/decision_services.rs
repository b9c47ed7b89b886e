//! The ports that real-time decisions use. The binary connects them to adapters.

use florin_domain::card::DecisionQuestion;
use florin_domain::ids::EventId;
use florin_ports::{DecisionAsker, DecisionEndpoints, StoreError};
use std::sync::Arc;

/// The ports for managing and asking decision endpoints.
#[derive(Clone)]
pub struct DecisionServices {
    /// Stores endpoints.
    pub endpoints: Arc<dyn DecisionEndpoints>,
    /// Asks endpoints.
    pub asker: Arc<dyn DecisionAsker>,
    /// Renders a question.
    pub render: RenderQuestion,
    /// Called with the outcome of each question: `approve`, `decline`, `partial`, or the reason that there is no
    /// decision.
    pub observe: Arc<dyn Fn(&'static str) + Send + Sync>,
}

/// A question to be rendered.
#[derive(Clone, Copy, Debug)]
pub struct QuestionToRender<'a> {
    /// The id of the question: the token of its card message, as an [`EventId`]. Every signed request has an event id.
    pub id: EventId,
    /// The question.
    pub question: &'a DecisionQuestion,
    /// Whether the message is a dry run, so that the decision has no effect.
    pub is_dry_run: bool,
}

/// Renders a question as a JSON text.
pub type RenderQuestion = Arc<dyn Fn(QuestionToRender<'_>) -> Result<String, StoreError> + Send + Sync>;
