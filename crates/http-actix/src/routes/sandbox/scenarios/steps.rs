//! The steps of a scenario in a request.

use super::names::{self, Values};
use crate::declare::{FieldType, Items, Schemas, TextValue, body, names_schema, parse_name, plain_text};
use crate::json::{Place, Reading, Value};
use crate::routes::cards::messages::{MESSAGES, MessageRoute};
use chrono::TimeDelta;
use florin_domain::fault::{Flaw, FlawCode};
use florin_domain::ids::DisputeId;
use std::collections::BTreeSet;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// Maximum number of messages of a scenario.
const MAX_MESSAGES: usize = 100;

body! {
    /// A message of a scenario.
    pub(crate) struct ScenarioMessageBody as "ScenarioMessageRequest" {
        /// The path of the message below `/v2/cards/simulations/`.
        #[example("transaction/authorization")]
        "message" => message: MessageRoute,
        /// The body of the message. A text that consists of `$` and the name of a step stands for the token of that
        /// step, or for the id of the dispute that the step opened. `$$` at the start of a text stands for `$`.
        "body" => body: BodyTemplate,
        /// The dispute of a message with `{disputeId}` in its path: the id, or `$` and the name of the step that opened
        /// the dispute.
        #[example("$case")]
        "disputeId" => dispute: Option<DisputeReference>,
        /// A name for the step, which the bodies of later steps can use.
        #[example("stay")]
        "as" => name: Option<StepName>,
        /// Advance the account's clock by this ISO 8601 duration before the message. Holds that are then due expire.
        #[example("P1D")]
        "advanceBy" => advance_by: Option<TimeDelta>,
    }
}

/// The messages of a scenario.
pub(crate) struct Messages(pub(super) Vec<ScenarioMessageBody>);

/// The body of a message as JSON, in which names stand for tokens and for ids of disputes.
pub(crate) struct BodyTemplate(pub(super) String);

/// The name of a step.
pub(crate) struct StepName(pub(super) String);

/// The id of a dispute, or `$` and the name of the step that opened it.
pub(crate) struct DisputeReference(pub(super) String);

impl Messages {
    /// Reads the messages. Their bodies may use the names in `known`, and the names of earlier steps.
    pub(super) fn read_with(
        value: Value<'_>,
        place: &Place<'_>,
        known: &[&str],
        reading: &mut Reading<'_>,
    ) -> Option<Self> {
        let mut known: BTreeSet<String> = known.iter().map(|name| (*name).to_owned()).collect();
        let (mut messages, mut count) = (Vec::new(), 0);
        reading.array(value, place, MAX_MESSAGES, |reading, item, place| {
            count += 1;
            let message = ScenarioMessageBody::read(item, place, reading);
            if let Some(flaw) = message.as_ref().and_then(ScenarioMessageBody::flaw_of_dispute) {
                reading.fault(&place.member("disputeId"), flaw);
            }
            messages.extend(message);
            check_step_names(item, place, &mut known, reading);
        })?;
        if count == 0 {
            reading.fault(place, Flaw::range("must have at least 1 item (got 0)"));
        }
        (count > 0 && messages.len() == count).then_some(Self(messages))
    }
}

/// Checks the names that a step uses, and adds the name of the step to the known ones. The step itself may be invalid.
fn check_step_names(item: Value<'_>, place: &Place<'_>, known: &mut BTreeSet<String>, reading: &mut Reading<'_>) {
    let (mut name_of_step, mut is_used) = (None, false);
    let _ = item.for_members(|name, value| match &*name.0 {
        "body" | "disputeId" => names::check_names(value, &place.member(&name.0), known, reading),
        "as" => name_of_step = value.string().and_then(Result::ok).filter(|name| StepName::parse(name).is_ok()),
        _ => {}
    });
    if let Some(name) = name_of_step {
        is_used = !known.insert(name.into_owned());
    }
    if is_used {
        reading.fault(&place.member("as"), Flaw::value("must differ from the names of earlier steps"));
    }
}

impl ScenarioMessageBody {
    /// Returns the flaw of `disputeId`. It is required if the message's path has `{disputeId}`, otherwise not allowed.
    fn flaw_of_dispute(&self) -> Option<Flaw> {
        match (self.message.has_dispute(), &self.dispute) {
            (true, None) => Some(Flaw::new(FlawCode::Required, "is required by this message")),
            (false, Some(_)) => Some(Flaw::value("must be absent: this message has no {disputeId}")),
            (true, Some(_)) | (false, None) => None,
        }
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

impl FieldType for BodyTemplate {
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

impl DisputeReference {
    /// Returns the id that the named step returned, or the text itself if it names no such step.
    pub(super) fn id<'a>(&'a self, values: &'a Values) -> &'a str {
        let named = self.0.strip_prefix('$').and_then(|name| values.get(name));
        named.map_or(self.0.as_str(), String::as_str)
    }
}

impl TextValue for DisputeReference {
    fn parse(text: &str) -> Result<Self, Flaw> {
        if text.starts_with('$') || DisputeId::parse(text).is_ok() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::format("must be the id of a dispute, or $ and the name of an earlier step"))
        }
    }

    fn schema() -> Object {
        plain_text()
            .pattern(Some(concat!(
                "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
                "|\\$[A-Za-z0-9_-]{1,32})$"
            )))
            .build()
    }
}

impl TextValue for MessageRoute {
    fn parse(text: &str) -> Result<Self, Flaw> {
        parse_name(text, MESSAGES, |message| message.path)
    }

    fn schema() -> Object {
        names_schema(MESSAGES, |message| message.path)
    }
}
