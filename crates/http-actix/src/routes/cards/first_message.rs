//! The steps of all first messages.

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
use florin_application::{NewMessage, send_first_message};
use florin_domain::access::Account;
use florin_ports::Mode;

/// Reads a first message and sends it.
pub(super) async fn handle<B: FieldType>(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    message: fn(B) -> NewMessage,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<B>()?;
    let account = write.account().await?;
    send(&write, &account, message(read(body)?), mode).await
}

/// Sends a first message. The idempotency record of one with a PIN or data of the cardholder does not contain its body.
pub(super) async fn send(
    write: &WriteCall<'_>,
    account: &Account,
    new: NewMessage,
    mode: Mode,
) -> Result<HttpResponse, Problem> {
    let has_secret = new.pin.is_some() || new.message.extras.cardholder.is_some();
    let claim = claim(write, account, has_secret, |record| transaction_answer(record, None))?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = send_first_message(&write.call.app.services, account, new, mode, claim).await;
    respond(written.map_err(|error| first_message_problem(error, recorded.as_ref()))?, transaction_answer)
}
