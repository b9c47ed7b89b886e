//! The steps of all first messages.

use super::bodies::First;
use super::common::{SIMULATE, transaction_answer};
use crate::call::{Call, WriteCall};
use crate::declare::FieldType;
use crate::dry_run::respond;
use crate::idempotency::claim;
use crate::mapping::first_message_problem;
use crate::problem::{Problem, read};
use crate::state::App;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::send_first_message;
use florin_domain::access::Account;
use florin_ports::Mode;

/// Reads a first message and sends it.
pub(super) async fn handle<B: FieldType>(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    message: fn(B) -> First,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<B>()?;
    let account = write.account().await?;
    send(&write, &account, message(read(body)?), mode).await
}

/// Sends a first message.
pub(super) async fn send(
    write: &WriteCall<'_>,
    account: &Account,
    First { card, message, currency }: First,
    mode: Mode,
) -> Result<HttpResponse, Problem> {
    let claim = claim(write, account, false, |record| transaction_answer(record, None))?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let message = (message, currency);
    let written = send_first_message(&write.call.app.services, account, card, message, mode, claim).await;
    respond(written.map_err(|error| first_message_problem(error, recorded.as_ref()))?, transaction_answer)
}
