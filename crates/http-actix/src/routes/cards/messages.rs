//! The messages that can be simulated: one table for the routes and for scenarios.

use super::bodies::{AuthorizationBody, DebitBody, FeeBody, InquiryBody, RefundBody, WithdrawalBody};
use super::common::SIMULATE;
use super::disputes::bodies::{EvidenceBody, OpenDisputeBody, ResolveBody};
use super::disputes::common::DisputePath;
use super::disputes::send::{apply_action, open};
use super::follow_up_bodies::{
    AtmClearingBody, ClearingBody, IncrementBody, NewFollowUp, ReturnBody, ReversalBody, TokenAndAmountBody, TokenBody,
};
use super::send_context::SendContext;
use super::{first_message, follow_up};
use crate::call::{Call, WriteCall};
use crate::declare::{self, FieldType};
use crate::dry_run::WriteAnswer;
use crate::json::{Context, Document, Place, Reading};
use crate::problem::{Problem, expect_valid};
use crate::reply::reply;
use crate::state::App;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::NewMessage;
use florin_domain::card::DisputeAction;
use florin_domain::card::decide::{Clearing, DisputeRequest};
use florin_domain::fault::Faults;
use florin_domain::ids::{DisputeId, TransactionToken};
use florin_ports::Mode;

/// A kind of message: its path below `/v2/cards/simulations/`, and how its body is read. If the path has `{disputeId}`,
/// the message is about an existing dispute.
#[derive(Clone, Copy)]
pub(crate) struct MessageRoute {
    pub(crate) path: &'static str,
    read: fn(&mut MessageInput<'_>) -> Result<Option<ValidMessage>, Problem>,
}

/// A message with a valid body, ready to be sent.
pub(crate) enum ValidMessage {
    /// A first message.
    First(Box<NewMessage>),
    /// A follow-up.
    FollowUp(Box<NewFollowUp>),
    /// A new dispute about the message with this token.
    Dispute(TransactionToken, DisputeRequest),
    /// An action on an existing dispute.
    OnDispute(DisputeId, DisputeAction),
}

/// Declares the messages: a constant for each, with its path and its reader.
macro_rules! messages {
    ($($name:ident: $path:literal, $read:expr;)+) => {
        $(pub(super) const $name: MessageRoute = MessageRoute { path: $path, read: $read };)+

        /// All messages.
        pub(crate) const MESSAGES: &[MessageRoute] = &[$($name),+];
    };
}

messages! {
    AUTHORIZATION: "transaction/authorization",
        |input| input.first::<AuthorizationBody>(Into::into);
    ADVICE: "transaction/authorization/advice",
        |input| input.follow_up(TokenAndAmountBody::advice);
    INCREMENT: "transaction/authorization/incremental",
        |input| input.follow_up::<IncrementBody>(Into::into);
    CLEARING: "transaction/authorization/clearing", |input| input.clearing();
    REVERSAL: "transaction/authorization/reversal",
        |input| input.follow_up::<ReversalBody>(Into::into);
    EXPIRATION: "transaction/authorization/expiration",
        |input| input.follow_up(TokenBody::expiration);
    DEBIT: "debit", |input| input.first::<DebitBody>(Into::into);
    DEBIT_RETURN: "debit/reversal", |input| input.follow_up(ReturnBody::debit_return);
    INQUIRY: "balance-inquiry", |input| input.first::<InquiryBody>(Into::into);
    FEE: "fee", |input| input.first::<FeeBody>(Into::into);
    REFUND: "refund", |input| input.first(RefundBody::unlinked);
    REFUND_RETURN: "refund/reversal", |input| input.follow_up(ReturnBody::refund_return);
    REFUND_AUTHORIZATION: "refund/authorization", |input| input.first(RefundBody::authorization);
    REFUND_CLEARING: "refund/authorization/clearing",
        |input| input.follow_up(TokenAndAmountBody::refund_clearing);
    REFUND_REVERSAL: "refund/authorization/reversal", |input| input.follow_up(TokenBody::refund_reversal);
    WITHDRAWAL: "atm/withdrawal/authorization",
        |input| input.first::<WithdrawalBody>(Into::into);
    WITHDRAWAL_CLEARING: "atm/withdrawal/authorization/clearing",
        |input| input.follow_up::<AtmClearingBody>(Into::into);
    DISPUTE: "disputes", |input| input.dispute();
    DISPUTE_EVIDENCE: "disputes/{disputeId}/evidence",
        |input| input.on_dispute::<EvidenceBody>(Into::into);
    DISPUTE_CREDIT: "disputes/{disputeId}/provisional-credit", |input| input.credit();
    DISPUTE_RESOLUTION: "disputes/{disputeId}/resolve",
        |input| input.on_dispute::<ResolveBody>(Into::into);
}

/// The placeholder for the id of a dispute in a path.
const DISPUTE_ID: &str = "{disputeId}";

impl ValidMessage {
    /// Whether the operation of the message has a body.
    pub(crate) fn has_body(&self) -> bool {
        !matches!(self, Self::OnDispute(_, DisputeAction::Credit))
    }
}

impl MessageRoute {
    /// Whether the message is about an existing dispute.
    pub(crate) fn has_dispute(self) -> bool {
        self.path.contains(DISPUTE_ID)
    }

    /// Returns the path of the message's operation, with the id of the dispute in place of `{disputeId}`.
    pub(crate) fn full_path(self, dispute: Option<DisputeId>) -> String {
        let path = format!("/v2/cards/simulations/{}", self.path);
        dispute.map(|id| path.replace(DISPUTE_ID, &id.0.to_string())).unwrap_or(path)
    }

    /// Reads the message. Returns `None` if faults were recorded.
    pub(crate) fn read(self, input: &mut MessageInput<'_>) -> Result<Option<ValidMessage>, Problem> {
        (self.read)(input)
    }
}

/// The input of a message that is not validated yet: its body and the dispute in its path.
pub(crate) struct MessageInput<'a> {
    body: Option<&'a Document>,
    /// The dispute in the path. `None`: the path has none, or a fault was recorded.
    dispute: Option<DisputeId>,
    context: Context,
    faults: &'a mut Faults,
}

impl<'a> MessageInput<'a> {
    /// Creates the input from a body and the dispute in the path. Validation adds its faults to `faults`.
    pub(crate) fn of(
        (body, dispute): (Option<&'a Document>, Option<DisputeId>),
        context: Context,
        faults: &'a mut Faults,
    ) -> Self {
        Self { body, dispute, context, faults }
    }

    fn read_body<B: FieldType>(&mut self) -> Result<Option<B>, Problem> {
        Ok(declare::read(self.body, self.context, self.faults)?)
    }

    fn first<B: FieldType>(&mut self, message: fn(B) -> NewMessage) -> Result<Option<ValidMessage>, Problem> {
        Ok(self.read_body::<B>()?.map(|body| ValidMessage::First(Box::new(message(body)))))
    }

    fn follow_up<B: FieldType>(&mut self, message: fn(B) -> NewFollowUp) -> Result<Option<ValidMessage>, Problem> {
        Ok(self.read_body::<B>()?.map(|body| ValidMessage::FollowUp(Box::new(message(body)))))
    }

    fn dispute(&mut self) -> Result<Option<ValidMessage>, Problem> {
        Ok(self.read_body::<OpenDisputeBody>()?.map(|body| {
            let OpenDisputeBody { transaction, amount, reason } = body;
            ValidMessage::Dispute(transaction, DisputeRequest { amount: amount.map(|amount| amount.0), reason })
        }))
    }

    fn on_dispute<B: FieldType>(&mut self, action: fn(B) -> DisputeAction) -> Result<Option<ValidMessage>, Problem> {
        let body = self.read_body::<B>()?;
        Ok(self.dispute.zip(body).map(|(dispute, body)| ValidMessage::OnDispute(dispute, action(body))))
    }

    /// Reads a provisional credit. Its body must be absent or `{}`.
    fn credit(&mut self) -> Result<Option<ValidMessage>, Problem> {
        if let Some(body) = self.body {
            let mut reading = Reading::new(self.context, self.faults);
            reading.object(body.root(), &Place::Body, &[], |_, _, _, _| false);
            reading.finish()?;
        }
        Ok(self.dispute.map(|dispute| ValidMessage::OnDispute(dispute, DisputeAction::Credit)))
    }

    /// Reads a clearing: a follow-up, or, without an authorization, a first message.
    fn clearing(&mut self) -> Result<Option<ValidMessage>, Problem> {
        let Some(body) = self.read_body::<ClearingBody>()? else { return Ok(None) };
        Ok(match Clearing::of(body.into()) {
            Ok(Clearing::OfAuthorization(preceding, message, place)) => {
                Some(ValidMessage::FollowUp(Box::new(NewFollowUp { preceding, message, place })))
            }
            Ok(Clearing::WithoutAuthorization(card, message, merchant_currency)) => {
                Some(ValidMessage::First(Box::new(NewMessage {
                    card,
                    message: *message,
                    merchant_currency,
                    pin: None,
                })))
            }
            Err(found) => {
                for fault in found {
                    self.faults.push(fault);
                }
                None
            }
        })
    }
}

impl SendContext<'_> {
    /// Sends a message.
    pub(crate) async fn send(&self, message: ValidMessage) -> Result<WriteAnswer, Problem> {
        match message {
            ValidMessage::First(new) => first_message::send(self, *new).await,
            ValidMessage::FollowUp(next) => follow_up::send(self, *next).await,
            ValidMessage::Dispute(transaction, request) => open(self, transaction, request).await,
            ValidMessage::OnDispute(dispute, action) => apply_action(self, (dispute, action)).await,
        }
    }
}

/// Reads and sends the message of a request.
pub(super) async fn receive(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    message: MessageRoute,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &SIMULATE).await?;
    let mode = call.read_mode()?;
    respond(call.with_body(payload).await?, message, mode).await
}

/// Validates and sends the message of a request after its body was received.
pub(super) async fn respond(
    mut write: WriteCall<'_>,
    message: MessageRoute,
    mode: Mode,
) -> Result<HttpResponse, Problem> {
    let dispute = if message.has_dispute() { write.call.read::<DisputePath>().map(|path| path.id) } else { None };
    let context = write.call.context();
    let body = (write.body.as_ref(), dispute);
    let ready = message.read(&mut MessageInput::of(body, context, &mut write.call.faults))?;
    let account = write.account().await?;
    let recording = write.recording()?;
    let sender =
        SendContext { app: write.call.app, account: &account, guard: write.call.guard(), recording: &recording, mode };
    let WriteAnswer { answer, replayed } = sender.send(expect_valid(ready)?).await?;
    reply(answer, replayed)
}
