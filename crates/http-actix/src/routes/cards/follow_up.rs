//! The steps of all follow-ups.

use super::common::{SIMULATE, transaction_answer};
use super::follow_up_bodies::Next;
use crate::call::{Call, WriteCall};
use crate::declare::FieldType;
use crate::dry_run::respond;
use crate::idempotency::claim;
use crate::mapping::{card_problem, write_problem};
use crate::problem::{Problem, read};
use crate::state::App;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::send_follow_up;
use florin_domain::access::Account;
use florin_ports::Mode;

/// Reads a follow-up and sends it.
pub(super) async fn handle<B: FieldType>(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    message: fn(B) -> Next,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<B>()?;
    let account = write.account().await?;
    send(&write, &account, message(read(body)?), mode).await
}

/// Sends a follow-up.
pub(super) async fn send(
    write: &WriteCall<'_>,
    account: &Account,
    Next { preceding, message, place }: Next,
    mode: Mode,
) -> Result<HttpResponse, Problem> {
    let claim = claim(write, account, false, |record| transaction_answer(record, None))?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let message = (message, place);
    let written = send_follow_up(&write.call.app.services, account, preceding, message, mode, claim).await;
    let object = ("body.precedingRelatedTransactionToken", "card transaction");
    respond(written.map_err(|error| write_problem(error, object, recorded.as_ref(), card_problem))?, transaction_answer)
}
