//! Plays the steps of a scenario. Each step does what the operation of its message would do.

use super::names::{self, Values};
use super::steps::{BodyTemplate, DisputeReference, ScenarioMessageBody};
use super::stories::CARD;
use crate::call::WriteCall;
use crate::declare::IdempotencyKeyHeader;
use crate::idempotency::Recording;
use crate::json::Document;
use crate::mapping::write_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, reply};
use crate::routes::cards::messages::{MessageInput, MessageRoute};
use crate::routes::cards::send_context::SendContext;
use crate::routes::sandbox::set_clock;
use crate::views::{ScenarioView, StepView};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use chrono::TimeDelta;
use florin_application::{chain_history, reach_account};
use florin_domain::access::Account;
use florin_domain::card::ExplainedMessage;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::{BudgetId, CardId, DisputeId, TransactionToken};
use florin_domain::ledger::Balances;
use florin_domain::money::Currency;
use florin_ports::{IdempotencyClaim, IdempotencyKey, Mode, RecordedRequest, StoredResponse, WriteError, Written};
use std::convert::Infallible;

/// Maximum length of the idempotency key of a scenario. The keys of its steps add a suffix to it.
const MAX_KEY: usize = 240;

/// The idempotency key of a scenario in the OpenAPI document.
pub(super) type ScenarioKeyHeader = IdempotencyKeyHeader<MAX_KEY>;

/// Records a fault if the idempotency key is too long for the keys of the steps.
pub(super) fn check_key(write: &mut WriteCall<'_>) {
    if write.key.as_ref().is_some_and(|key| key.as_str().len() > MAX_KEY) {
        let flaw = Flaw::new(FlawCode::TooLong, format!("must be at most {MAX_KEY} characters on a scenario"));
        write.call.faults.push(flaw.at("header.Idempotency-Key"));
    }
}

/// Plays the messages and responds with all steps. `card` is the card of a story.
pub(super) async fn play(
    write: &WriteCall<'_>,
    account: Account,
    messages: Vec<ScenarioMessageBody>,
    card: Option<CardId>,
) -> Result<HttpResponse, Problem> {
    let app = write.call.app;
    let records = app.services.records.as_ref();
    let recording = write.recording()?;
    if let Some(claim) = scenario_claim(write, &recording, &account, None) {
        let to_problem = |error| record_problem(error, &claim.request);
        if let Some(stored) = records.find(&claim).await.map_err(to_problem)? {
            return reply(stored, true);
        }
        // A record for step 0 marks the scenario as begun. Only an equal request can continue it.
        let begun = IdempotencyClaim { key: step_key(&claim.key, "0")?, ..claim.clone() };
        records.add(begun).await.map_err(to_problem)?;
    }
    let mut values = Values::new();
    if let Some(card) = card {
        let found = app.management.cards.find(&account.id, card).await?;
        found.ok_or_else(|| Problem::absent("body.cardId", "card"))?;
        values.insert(CARD.to_owned(), card.0.to_string());
    }
    let mut player = Player { write, account, recording: &recording, values, balance_to_show: None };
    let mut steps = Vec::new();
    for (number, message) in messages.into_iter().enumerate() {
        steps.push(player.step(number + 1, message).await?);
    }
    let all_steps = answer(StatusCode::CREATED, &ScenarioView { steps });
    let Some(claim) = scenario_claim(write, &recording, &player.account, Some(all_steps.clone())) else {
        return reply(all_steps, false);
    };
    let request = claim.request.clone();
    match records.add(claim).await.map_err(|error| record_problem(error, &request))? {
        Written::Replayed(stored) => reply(stored, true),
        Written::New(()) | Written::DryRun(_) => reply(all_steps, false),
    }
}

/// Maps an error of finding or storing the idempotency record of a scenario.
fn record_problem(error: WriteError<Infallible>, request: &RecordedRequest) -> Problem {
    write_problem(error, ("query.accountId", "account"), Some(request), |never| match never {})
}

/// Returns the claim of the whole scenario. `None`: the request has no idempotency key. `response` is the response
/// to the scenario, or `None` before the scenario was played: then the record contains an empty 202. The body of the
/// request is recorded as a keyed digest, because it may contain PINs.
fn scenario_claim(
    write: &WriteCall<'_>,
    recording: &Recording,
    account: &Account,
    response: Option<StoredResponse>,
) -> Option<IdempotencyClaim<()>> {
    let response = response.unwrap_or(StoredResponse { status: StatusCode::ACCEPTED.as_u16(), body: String::new() });
    let has_secret = true;
    recording.claim(write.call.app, account, has_secret, move |()| response.clone())
}

/// Returns the idempotency key of a part of a scenario: the key of the scenario, a slash and the part.
fn step_key(key: &IdempotencyKey, part: &str) -> Result<IdempotencyKey, Problem> {
    IdempotencyKey::parse(format!("{}/{part}", key.as_str()).as_bytes()).map_err(|_| Problem::internal())
}

/// A scenario in progress.
struct Player<'a> {
    write: &'a WriteCall<'a>,
    /// The account, with its clock after the last step.
    account: Account,
    /// What is recorded of the request for the whole scenario.
    recording: &'a Recording,
    /// The id that each name stands for. The names are those of earlier steps and, in a story, [`CARD`].
    values: Values,
    /// The budget and currency of the last recorded message. A step without a recorded message shows their balance.
    /// `None`: no message was recorded.
    balance_to_show: Option<(BudgetId, Currency)>,
}

impl Player<'_> {
    /// Plays a step, and describes its result. Fails with a 5xx, or with a 409 if the world was restored while a
    /// decision endpoint was asked: a retry of the scenario continues with this step.
    async fn step(&mut self, number: usize, step: ScenarioMessageBody) -> Result<StepView, Problem> {
        let ScenarioMessageBody { message, body, dispute, name, advance_by } = step;
        let advanced = match advance_by {
            Some(by) => self.advance(number, by).await,
            None => Ok(()),
        };
        let response = match advanced {
            Ok(()) => self.send(number, message, (&body, dispute.as_ref())).await,
            Err(refused) => Err(refused),
        };
        let response = match response {
            Ok(answer) => answer,
            Err(problem) if problem.status().is_server_error() || problem.is_world_restored() => return Err(problem),
            Err(problem) => problem.answer(),
        };
        let ids = ResponseIds::of(&response);
        if let Some((name, id)) = name.zip(ids.id) {
            self.values.insert(name.0, id);
        }
        self.describe(message, response, ids.token).await
    }

    /// Advances the clock of the account, and reads the account again.
    async fn advance(&mut self, number: usize, by: TimeDelta) -> Result<(), Problem> {
        let app = self.write.call.app;
        let body = format!(r#"{{"advanceBy":"{}"}}"#, florin_domain::world::format_duration(by));
        let recording = self.recording_of_part(&format!("{number}/clock"), "/v2/sandbox/clock", body)?;
        set_clock::advance(app, &self.account, by, &recording).await?;
        self.account = reach_account(&app.services, &self.write.call.caller, &self.account.id).await?;
        Ok(())
    }

    /// Reads and sends the message of a step.
    async fn send(
        &self,
        number: usize,
        message: MessageRoute,
        (BodyTemplate(body), dispute): (&BodyTemplate, Option<&DisputeReference>),
    ) -> Result<StoredResponse, Problem> {
        let app = self.write.call.app;
        let template = Document::parse(body.clone().into_bytes())?;
        let document = Document::parse(names::replace_names(template.root(), &self.values)?.into_bytes())?;
        let mut faults = Faults::default();
        let dispute = dispute.and_then(|reference| {
            let id = reference.id(&self.values);
            faults.take("path.disputeId", DisputeId::parse(id))
        });
        let body = (Some(&document), dispute);
        let ready = message.read(&mut MessageInput::of(body, self.write.call.context(), &mut faults))?;
        if !faults.is_empty() {
            return Err(Problem::faults(faults.into_vec()));
        }
        let ready = expect_valid(ready)?;
        let body = if ready.has_body() { document.root().canonical()? } else { String::new() };
        let recording = self.recording_of_part(&number.to_string(), &message.full_path(dispute), body)?;
        let (guard, mode) = (self.write.call.guard(), Mode::Commit);
        let sender = SendContext { app, account: &self.account, guard, recording: &recording, mode };
        Ok(sender.send(ready).await?.answer)
    }

    /// Returns what is recorded of a part of the scenario: the same as the operation of the part would record.
    fn recording_of_part(&self, part: &str, path: &str, body: String) -> Result<Recording, Problem> {
        let key = self.recording.key().map(|key| step_key(key, part)).transpose()?;
        Ok(self.recording.for_part(key, path, body))
    }

    /// Describes a step by its response, and by its recorded message if it has one.
    async fn describe(
        &mut self,
        message: MessageRoute,
        response: StoredResponse,
        token: Option<TransactionToken>,
    ) -> Result<StepView, Problem> {
        if let Some(recorded) = self.recorded_message(token).await? {
            self.balance_to_show = Some((recorded.transaction.budget, recorded.transaction.currency));
            return StepView::recorded(message.path, response, &recorded).ok_or_else(Problem::internal);
        }
        let now = self.write.call.app.services.time.now_of(&self.account);
        let balances = self.balances().await?;
        StepView::unrecorded(message.path, response, now, balances).ok_or_else(Problem::internal)
    }

    /// Returns the recorded message with this token, with its explanation. `None` without a token.
    async fn recorded_message(&self, token: Option<TransactionToken>) -> Result<Option<ExplainedMessage>, Problem> {
        let Some(token) = token else { return Ok(None) };
        let chain = chain_history(&self.write.call.app.services, &self.account, token).await?;
        let messages = chain.into_iter().flat_map(|chain| chain.messages);
        Ok(messages.into_iter().find(|message| message.transaction.token == token))
    }

    /// Returns the current balance of the budget and currency in `balance_to_show`.
    async fn balances(&self) -> Result<Option<(BudgetId, Currency, Balances)>, Problem> {
        let Some((budget, currency)) = self.balance_to_show else { return Ok(None) };
        let found = self.write.call.app.management.budgets.find(&self.account.id, budget).await?;
        let balances = found.and_then(|found| found.budget.in_currency(currency));
        Ok(balances.map(|balances| (budget, currency, balances)))
    }
}

/// The ids in the response to a step.
#[derive(Default)]
struct ResponseIds {
    /// The token of the recorded message.
    token: Option<TransactionToken>,
    /// The id that the step's name stands for: the token, or the id of the dispute that the step opened.
    id: Option<String>,
}

impl ResponseIds {
    /// Reads the ids from a response. A response without success has none.
    fn of(response: &StoredResponse) -> Self {
        if !(200..300).contains(&response.status) {
            return Self::default();
        }
        let Ok(body) = serde_json::from_str::<serde_json::Value>(&response.body) else { return Self::default() };
        let text = |pointer| body.pointer(pointer).and_then(serde_json::Value::as_str).map(str::to_owned);
        let token = text("/transaction/token");
        let id = token.clone().or_else(|| text("/id"));
        Self { token: token.and_then(|token| TransactionToken::parse(&token).ok()), id }
    }
}
