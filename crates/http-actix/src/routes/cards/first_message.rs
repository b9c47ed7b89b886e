//! Sends first messages. The operations of first messages and the steps of scenarios call this.

use super::common::transaction_answer;
use super::send_context::SendContext;
use crate::dry_run::WriteAnswer;
use crate::mapping::first_message_problem;
use crate::problem::Problem;
use crate::rendered::Rendered;
use florin_application::{NewMessage, send_first_message};

/// Sends a first message. If it has a PIN or data of the cardholder, its idempotency record contains a keyed digest
/// instead of the body.
pub(super) async fn send(sender: &SendContext<'_>, new: NewMessage) -> Result<WriteAnswer, Problem> {
    let SendContext { app, account, recording, mode, .. } = *sender;
    let has_secret = new.pin.is_some() || new.message.extras.cardholder.is_some();
    let claim = recording.claim(app, account, has_secret, |record| transaction_answer(record, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let rendered = Rendered::default();
    let written = send_first_message(&app.services, sender.message_sender(), new, mode, rendered.keep(claim)).await;
    let written = written.map_err(|error| first_message_problem(error, recorded.as_deref()))?;
    Ok(WriteAnswer::of(written, rendered.or_render(transaction_answer)))
}
