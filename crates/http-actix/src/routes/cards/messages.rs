//! The messages of the card world: one table for the routes and for scenarios.

use super::bodies::{AuthorizationBody, DebitBody, FeeBody, InquiryBody, RefundBody, WithdrawalBody};
use super::common::SIMULATE;
use super::follow_up_bodies::{
    AtmClearingBody, ClearingBody, IncrementBody, Next, ReturnBody, ReversalBody, TokenAndAmountBody, TokenBody,
};
use super::sender::Sender;
use super::{first_message, follow_up};
use crate::call::Call;
use crate::declare::{self, FieldType};
use crate::dry_run::Sent;
use crate::json::{Context, Document};
use crate::problem::{Problem, read};
use crate::reply::reply;
use crate::state::App;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::NewMessage;
use florin_domain::card::decide::Clearing;
use florin_domain::fault::Faults;

/// A message: its path below `/v2/cards/simulations/`, and how its body is read.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) path: &'static str,
    read: fn(&mut Incoming<'_>) -> Result<Option<Ready>, Problem>,
}

/// A message that was read.
pub(crate) enum Ready {
    /// A first message.
    First(Box<NewMessage>),
    /// A follow-up.
    Next(Box<Next>),
}

/// Declares the messages: their names in this program, their paths and their readers.
macro_rules! messages {
    ($($name:ident: $path:literal, $read:expr;)+) => {
        $(pub(super) const $name: Message = Message { path: $path, read: $read };)+

        /// All messages.
        pub(crate) const MESSAGES: &[Message] = &[$($name),+];
    };
}

messages! {
    AUTHORIZATION: "transaction/authorization",
        |body| body.first::<AuthorizationBody>(Into::into);
    ADVICE: "transaction/authorization/advice",
        |body| body.next(TokenAndAmountBody::advice);
    INCREMENT: "transaction/authorization/incremental",
        |body| body.next::<IncrementBody>(Into::into);
    CLEARING: "transaction/authorization/clearing", |body| body.clearing();
    REVERSAL: "transaction/authorization/reversal",
        |body| body.next::<ReversalBody>(Into::into);
    EXPIRATION: "transaction/authorization/expiration",
        |body| body.next(TokenBody::expiration);
    DEBIT: "debit", |body| body.first::<DebitBody>(Into::into);
    DEBIT_REVERSAL: "debit/reversal", |body| body.next(ReturnBody::debit_reversal);
    INQUIRY: "balance-inquiry", |body| body.first::<InquiryBody>(Into::into);
    FEE: "fee", |body| body.first::<FeeBody>(Into::into);
    REFUND: "refund", |body| body.first(RefundBody::unlinked);
    REFUND_RETURN: "refund/reversal", |body| body.next(ReturnBody::refund_return);
    REFUND_AUTHORIZATION: "refund/authorization", |body| body.first(RefundBody::authorization);
    REFUND_CLEARING: "refund/authorization/clearing",
        |body| body.next(TokenAndAmountBody::refund_clearing);
    REFUND_REVERSAL: "refund/authorization/reversal", |body| body.next(TokenBody::refund_reversal);
    WITHDRAWAL: "atm/withdrawal/authorization",
        |body| body.first::<WithdrawalBody>(Into::into);
    WITHDRAWAL_CLEARING: "atm/withdrawal/authorization/clearing",
        |body| body.next::<AtmClearingBody>(Into::into);
}

impl Message {
    /// Reads the message. Returns `None` if faults were recorded.
    pub(crate) fn read(self, body: &mut Incoming<'_>) -> Result<Option<Ready>, Problem> {
        (self.read)(body)
    }
}

/// The body of a message, before it is read.
pub(crate) struct Incoming<'a> {
    body: Option<&'a Document>,
    context: Context,
    faults: &'a mut Faults,
}

impl<'a> Incoming<'a> {
    /// The body of a message. Faults are recorded with those of the rest of the request.
    pub(crate) fn of(body: &'a Document, context: Context, faults: &'a mut Faults) -> Self {
        Self { body: Some(body), context, faults }
    }

    fn declared<B: FieldType>(&mut self) -> Result<Option<B>, Problem> {
        Ok(declare::read(self.body, self.context, self.faults)?)
    }

    fn first<B: FieldType>(&mut self, message: fn(B) -> NewMessage) -> Result<Option<Ready>, Problem> {
        Ok(self.declared::<B>()?.map(|body| Ready::First(Box::new(message(body)))))
    }

    fn next<B: FieldType>(&mut self, message: fn(B) -> Next) -> Result<Option<Ready>, Problem> {
        Ok(self.declared::<B>()?.map(|body| Ready::Next(Box::new(message(body)))))
    }

    /// Reads a clearing, which may be a first message.
    fn clearing(&mut self) -> Result<Option<Ready>, Problem> {
        let Some(body) = self.declared::<ClearingBody>()? else { return Ok(None) };
        Ok(match Clearing::of(body.into()) {
            Ok(Clearing::Of(preceding, message, place)) => {
                Some(Ready::Next(Box::new(Next { preceding, message, place })))
            }
            Ok(Clearing::Without(card, message, merchant)) => {
                Some(Ready::First(Box::new(NewMessage { card, message: *message, merchant, pin: None })))
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

impl Sender<'_> {
    /// Sends a message.
    pub(crate) async fn send(&self, message: Ready) -> Result<Sent, Problem> {
        match message {
            Ready::First(new) => first_message::send(self, *new).await,
            Ready::Next(next) => follow_up::send(self, *next).await,
        }
    }
}

/// Reads and sends the message of a request.
pub(super) async fn handle(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    message: Message,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(app, request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let context = write.call.context();
    let mut body = Incoming { body: write.body.as_ref(), context, faults: &mut write.call.faults };
    let ready = message.read(&mut body)?;
    let account = write.account().await?;
    let recording = write.recording()?;
    let sender = Sender { app, account: &account, recording: &recording, mode };
    let Sent { answer, replayed } = sender.send(read(ready)?).await?;
    reply(answer, replayed)
}
