//! Sends follow-ups. The operations of follow-ups and the steps of scenarios call this.

use super::common::transaction_answer;
use super::follow_up_bodies::NewFollowUp;
use super::send_context::SendContext;
use crate::dry_run::{self, WriteAnswer};
use crate::mapping::card_problem;
use crate::problem::Problem;
use crate::rendered::Rendered;
use florin_application::send_follow_up;

/// Sends a follow-up to the message with the token `preceding`.
pub(super) async fn send(
    sender: &SendContext<'_>,
    NewFollowUp { preceding, message, place }: NewFollowUp,
) -> Result<WriteAnswer, Problem> {
    let SendContext { app, account, recording, mode, .. } = *sender;
    let rendered = Rendered::default();
    let claim = rendered.keep(recording.claim(app, account, false, |record| transaction_answer(record, None)));
    let object = ("body.precedingRelatedTransactionToken", "card transaction");
    dry_run::execute_for_answer(claim, object, card_problem, rendered.or_render(transaction_answer), async |claim| {
        send_follow_up(&app.services, sender.message_sender(), preceding, (message, place), mode, claim).await
    })
    .await
}
