//! `POST /v2/sandbox/scenarios`

mod names;
mod play;
mod steps;
mod stories;

use crate::call::{Call, WriteCall};
use crate::declare::{AccountParameter, body};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::ScenarioErrors;
use crate::routes::sandbox::common::{CARDS, REQUIREMENT};
use crate::state::App;
use crate::views::ScenarioView;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::AccessError;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::CardId;
use play::ScenarioKeyHeader;
use steps::{Messages, ScenarioMessageBody};
use stories::Story;

body! {
    /// A scenario: a named story on a card, or a list of messages. Send either `name` and `cardId`, or `messages`.
    pub(crate) struct ScenarioBody as "ScenarioRequest" {
        /// The name of the story.
        #[example("hotel")]
        "name" => name: Option<Story>,
        /// The id of the card on which the story is played.
        "cardId" => card: Option<CardId>,
        /// The messages, in order.
        "messages" => messages: Option<Messages>,
    }
}

/// Plays a scenario: card messages in a row, with the clock of the account.
///
/// Each step is stored separately, as the operation of its message would store it. A refused step does not stop the
/// scenario. With an `Idempotency-Key`, every step has its own key: step 3 has the key followed by `/3`. A retry of an
/// interrupted scenario therefore replays the steps that were played, and continues. Steps that advance the clock also
/// require the scope `budgets:simulate:any`. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/scenarios", tag = "Sandbox", operation_id = "playScenario",
    security(("apiKey" = [CARDS.scope])),
    request_body = ScenarioBody,
    params(AccountParameter, ScenarioKeyHeader),
    responses((status = 201, description = "The steps, in order.", body = ScenarioView), ScenarioErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &CARDS).await?.with_body(payload).await?;
    let body = write.read::<ScenarioBody>()?;
    let scenario = body.and_then(|body| body.checked(&mut write.call.faults));
    play::check_key(&mut write);
    let account = write.account().await?;
    let scenario = expect_valid(scenario)?;
    let (messages, card) = match scenario {
        Scenario::Messages(messages) => (messages, None),
        Scenario::Story(story, card) => (story.messages(write.call.context())?, Some(card)),
    };
    check_clock_scope(&write, &messages)?;
    play::play(&write, account, messages, card).await
}

/// Checks that the caller may change clocks, if a message of the scenario advances the clock.
fn check_clock_scope(write: &WriteCall<'_>, messages: &[ScenarioMessageBody]) -> Result<(), Problem> {
    let advances = messages.iter().any(|message| message.advance_by.is_some());
    if advances && !write.call.caller.key.scopes.contains(&REQUIREMENT.scope) {
        return Err(AccessError::InsufficientScope(REQUIREMENT.scope).into());
    }
    Ok(())
}

/// A valid scenario.
enum Scenario {
    Messages(Vec<ScenarioMessageBody>),
    Story(Story, CardId),
}

impl ScenarioBody {
    /// Checks the members together and returns the scenario. `None` if a fault was recorded.
    fn checked(self, faults: &mut Faults) -> Option<Scenario> {
        let required = |unless: &str| Flaw::new(FlawCode::Required, format!("is required unless {unless} is sent"));
        let fault = match (self.name, self.card, self.messages) {
            (Some(story), Some(card), None) => return Some(Scenario::Story(story, card)),
            (None, None, Some(messages)) => return Some(Scenario::Messages(messages.0)),
            (Some(_), None, None) => Flaw::new(FlawCode::Required, "is required if name is sent").at("body.cardId"),
            (None, Some(_), None) => Flaw::new(FlawCode::Required, "is required if cardId is sent").at("body.name"),
            (None, None, None) => required("name").at("body.messages"),
            (Some(_), _, Some(_)) => Flaw::value("must be absent if messages is sent").at("body.name"),
            (None, Some(_), Some(_)) => Flaw::value("must be absent if messages is sent").at("body.cardId"),
        };
        faults.push(fault);
        None
    }
}
