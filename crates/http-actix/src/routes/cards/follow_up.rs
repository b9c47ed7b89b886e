//! What all follow-ups have in common.

use super::PERMISSION;
use super::first_message::SandboxBody;
use crate::call::Call;
use crate::dry_run::send;
use crate::extract::members::{Members, string};
use crate::mapping::{card_problem, write_problem};
use crate::problem::{Problem, read};
use crate::repeat::claim;
use crate::state::App;
use crate::views::transaction_answer;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::send_follow_up;
use florin_domain::card::decide::FollowUp;
use florin_domain::fault::Faults;
use florin_domain::ids::TransactionToken;
use utoipa::ToSchema;

/// A message that follows another one.
#[derive(ToSchema)]
#[schema(as = CardFollowUpRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct AmountBody {
    /// The token of any approved authorization, advice or partial reversal of the chain.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
    /// How much, above zero, in the currency of the first message.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
}

/// More, on top of an authorization.
#[derive(ToSchema)]
#[schema(as = CardIncrementRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct IncrementBody {
    /// The token of any approved authorization, advice, increment or partial reversal of the chain.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
    /// How much more, above zero, in the currency of the first message.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 2.50)]
    amount: (),
    #[schema(nullable = true)]
    sandbox: Option<SandboxBody>,
}

/// A clearing of an ATM withdrawal.
#[derive(ToSchema)]
#[schema(as = AtmClearingRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct AtmClearingBody {
    /// The token of any approved authorization or partial reversal of the chain.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
    /// How much, above zero, in the currency of the first message.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// Extension of Florin: what the acquirer charges on top, in the currency of the amount.
    #[schema(nullable = true, value_type = Option<f64>, minimum = 0, maximum = 1_000_000_000)]
    acquirer_fee_amount: Option<()>,
}

/// The withdrawal of a refund.
#[derive(ToSchema)]
#[schema(as = CardRefundReversalRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct RefundReversalBody {
    /// The token of the refund authorization.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
}

/// A clearing of a purchase.
#[derive(ToSchema)]
#[schema(as = CardClearingRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct ClearingBody {
    /// The token of any approved authorization, advice or partial reversal of the chain.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
    /// How much, above zero, in the currency of the first message.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// Whether it releases what it leaves of the hold; true by default.
    #[schema(nullable = true)]
    final_clearing: Option<bool>,
}

/// A reversal.
#[derive(ToSchema)]
#[schema(as = CardReversalRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct ReversalBody {
    /// The token of any approved authorization, advice or partial reversal of the chain.
    #[schema(format = Uuid)]
    preceding_related_transaction_token: String,
    /// How much, above zero, in the currency of the first message; all that is held by default.
    #[schema(nullable = true, value_type = Option<f64>, exclusive_minimum = 0, maximum = 1_000_000_000)]
    amount: Option<()>,
}

/// Takes a follow-up whose own members `read_message` reads.
pub(super) async fn take(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    read_message: fn(&mut Members<'_>, &mut Faults) -> Option<FollowUp>,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &PERMISSION).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let faults = &mut write.call.faults;
    let mut token = None;
    let mut message = None;
    if let Some(mut members) = Members::of_body(write.body.as_ref(), faults) {
        token = members
            .required("precedingRelatedTransactionToken", faults, |value| TransactionToken::parse(string(value)?));
        message = read_message(&mut members, faults);
        members.finish(faults);
    }
    let account = write.account().await?;
    let (token, message) = (read(token)?, read(message)?);
    let claim = claim(&write, &account, false, |record| transaction_answer(record, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = send_follow_up(&app.services, &account, token, message, mode, claim).await;
    let object = ("body.precedingRelatedTransactionToken", "card transaction");
    send(written.map_err(|error| write_problem(error, object, recorded.as_ref(), card_problem))?, transaction_answer)
}
