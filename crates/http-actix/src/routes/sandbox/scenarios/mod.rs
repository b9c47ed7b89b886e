//! `POST /v2/sandbox/scenarios`

mod names;
mod play;
mod stories;

use crate::call::{Call, WriteCall};
use crate::declare::{
    AccountParameter, FieldType, IdempotencyKeyHeader, Items, Schemas, TextValue, body, one_of, one_of_these,
    plain_text,
};
use crate::json::{Place, Reading, Value};
use crate::problem::{Problem, read};
use crate::routes::cards::messages::{MESSAGES, Message};
use crate::routes::error_sets::ScenarioErrors;
use crate::routes::sandbox::common::{CARDS, PERMISSION};
use crate::state::App;
use crate::views::ScenarioView;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use florin_application::AccessError;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::CardId;
use std::collections::BTreeSet;
use stories::Story;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// Maximum number of messages of a scenario.
const MAX_MESSAGES: usize = 100;

body! {
    /// A named story on a card, or a list of messages. Send either `name` and `cardId`, or `messages`.
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

body! {
    /// A message of a scenario.
    pub(crate) struct ScenarioMessageBody as "ScenarioMessageRequest" {
        /// The path of the message below `/v2/cards/simulations/`.
        #[example("transaction/authorization")]
        "message" => message: Message,
        /// The body of the message. A text that begins with `$` stands for the token of the step of that name; `$$` stands
        /// for `$`.
        "body" => body: Template,
        /// The name of the step, for later steps.
        #[example("stay")]
        "as" => name: Option<StepName>,
        /// Advance the account's clock by this ISO 8601 duration before the message. Holds that are due expire.
        #[example("P1D")]
        "advanceBy" => advance_by: Option<TimeDelta>,
    }
}

/// The messages of a scenario.
pub(crate) struct Messages(Vec<ScenarioMessageBody>);

/// The body of a message, in which names stand for tokens.
pub(crate) struct Template(String);

/// The name of a step.
pub(crate) struct StepName(String);

/// Plays a scenario: card messages in a row, with the clock of the account.
///
/// Each step is stored by itself, as the operation of its message would store it; a refused step does not stop the
/// scenario. With an `Idempotency-Key`, step 3 has the key followed by `/3`, so that a repetition of an interrupted scenario
/// replays what was done and goes on. Steps that advance the clock require the scope `budgets:simulate:any`, too. Florin
/// extension.
#[utoipa::path(post, path = "/v2/sandbox/scenarios", tag = "Sandbox", operation_id = "playScenario",
    request_body = ScenarioBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The steps, in order.", body = ScenarioView), ScenarioErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &CARDS).await?.with_body(payload).await?;
    let body = write.read::<ScenarioBody>()?;
    let scenario = body.and_then(|body| body.checked(&mut write.call.faults));
    play::check_key(&mut write);
    let account = write.account().await?;
    let scenario = read(scenario)?;
    let (messages, card) = match scenario {
        Scenario::Messages(messages) => (messages, None),
        Scenario::Story(story, card) => (story.messages(write.call.context())?, Some(card)),
    };
    may_advance(&write, &messages)?;
    play::play(&write, account, messages, card).await
}

/// Checks that a caller whose scenario advances the clock may change clocks.
fn may_advance(write: &WriteCall<'_>, messages: &[ScenarioMessageBody]) -> Result<(), Problem> {
    let advances = messages.iter().any(|message| message.advance_by.is_some());
    if advances && !write.call.caller.key.scopes.contains(&PERMISSION.scope) {
        return Err(AccessError::InsufficientScope(PERMISSION.scope).into());
    }
    Ok(())
}

/// What is played.
enum Scenario {
    Messages(Vec<ScenarioMessageBody>),
    Story(Story, CardId),
}

impl ScenarioBody {
    /// Returns the scenario, or `None` if a fault was recorded.
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

impl Messages {
    /// Reads messages whose bodies may name these values besides earlier steps.
    fn read_with(value: Value<'_>, place: &Place<'_>, known: &[&str], reading: &mut Reading<'_>) -> Option<Self> {
        let mut known: BTreeSet<String> = known.iter().map(|name| (*name).to_owned()).collect();
        let (mut messages, mut count) = (Vec::new(), 0);
        reading.array(value, place, MAX_MESSAGES, |reading, item, place| {
            count += 1;
            messages.extend(ScenarioMessageBody::read(item, place, reading));
            check_names(item, place, &mut known, reading);
        })?;
        if count == 0 {
            reading.fault(place, Flaw::range("must have at least 1 item (got 0)"));
        }
        (count > 0 && messages.len() == count).then_some(Self(messages))
    }
}

/// Checks the names in the body of a step, and adds its own name to the known ones. The step itself may be invalid.
fn check_names(item: Value<'_>, place: &Place<'_>, known: &mut BTreeSet<String>, reading: &mut Reading<'_>) {
    let (mut own, mut is_used) = (None, false);
    let _ = item.for_members(|name, value| match &*name.0 {
        "body" => names::check(value, &place.member("body"), known, reading),
        "as" => own = value.string().and_then(Result::ok).filter(|name| StepName::parse(name).is_ok()),
        _ => {}
    });
    if let Some(own) = own {
        is_used = !known.insert(own.into_owned());
    }
    if is_used {
        reading.fault(&place.member("as"), Flaw::value("must differ from the names of earlier steps"));
    }
}

impl FieldType for Messages {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        Self::read_with(value, place, &[], reading)
    }

    fn schema() -> RefOr<Schema> {
        Items::<ScenarioMessageBody, 1, MAX_MESSAGES>::schema()
    }

    fn schemas(schemas: &mut Schemas) {
        ScenarioMessageBody::schemas(schemas);
    }
}

impl FieldType for Template {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        if value.is_object() {
            return Some(Self(value.raw().to_owned()));
        }
        reading.wrong_type(value, place, "an object");
        None
    }

    fn schema() -> RefOr<Schema> {
        let any = ObjectBuilder::new().schema_type(Type::Object);
        any.additional_properties(Some(AdditionalProperties::FreeForm(true))).build().into()
    }
}

impl TextValue for StepName {
    fn parse(text: &str) -> Result<Self, Flaw> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(is_valid) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::format("must be 1 to 32 letters, digits, hyphens and underscores"))
        }
    }

    fn schema() -> Object {
        plain_text().pattern(Some("^[A-Za-z0-9_-]{1,32}$")).build()
    }
}

impl TextValue for Message {
    fn parse(text: &str) -> Result<Self, Flaw> {
        one_of(text, MESSAGES, |message| message.path)
    }

    fn schema() -> Object {
        one_of_these(MESSAGES, |message| message.path)
    }
}
