//! Opens disputes, and applies actions to them. The operations on disputes and the steps of scenarios call this.

use super::common::{DISPUTE, dispute_answer, message_answer};
use crate::dry_run::{self, WriteAnswer};
use crate::mapping::dispute_problem;
use crate::problem::Problem;
use crate::routes::cards::send_context::SendContext;
use crate::views::DryRunView;
use florin_application::{act_on_dispute, open_dispute};
use florin_domain::card::DisputeAction;
use florin_domain::card::decide::{DisputeDone, DisputeRequest};
use florin_domain::ids::{DisputeId, TransactionToken};
use florin_ports::StoredResponse;

/// Opens a dispute.
pub(crate) async fn open(
    sender: &SendContext<'_>,
    transaction: TransactionToken,
    request: DisputeRequest,
) -> Result<WriteAnswer, Problem> {
    let SendContext { app, account, recording, mode, .. } = *sender;
    let claim = recording.claim(app, account, false, |done| dispute_answer(done, None));
    let object = ("body.transactionToken", "card transaction");
    dry_run::execute_for_answer(claim, object, dispute_problem, dispute_answer, async |claim| {
        open_dispute(&app.services, account, (transaction, request), mode, claim).await
    })
    .await
}

/// Applies an action to a dispute.
pub(crate) async fn apply_action(
    sender: &SendContext<'_>,
    action: (DisputeId, DisputeAction),
) -> Result<WriteAnswer, Problem> {
    let SendContext { app, account, recording, mode, .. } = *sender;
    let render: fn(&DisputeDone, Option<DryRunView>) -> StoredResponse = match action.1 {
        DisputeAction::Evidence(_) => dispute_answer,
        DisputeAction::Credit | DisputeAction::Resolve(_) => message_answer,
    };
    let claim = recording.claim(app, account, false, move |done| render(done, None));
    dry_run::execute_for_answer(claim, DISPUTE, dispute_problem, render, async |claim| {
        act_on_dispute(&app.services, account, action, mode, claim).await
    })
    .await
}
