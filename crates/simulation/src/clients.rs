//! The clients: the requests that they send, and the answers that they receive.

use crate::Mutant;
use crate::initial_state::{budget, card, initial_state};
use crate::instance::Ports;
use florin_application::{FirstMessageError, NewMessage, generate_credit, send_first_message, transfer};
use florin_domain::batch::{ConfirmRefusal, PaymentBatch, decide_confirm};
use florin_domain::budget::{
    Credit, CreditInstruction, CreditRefusal, TransferDone, TransferInstruction, TransferRefusal,
};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_domain::stamp::Stamp;
use florin_domain::test_support::{a_credit, a_purchase, a_transfer, noon};
use florin_ports::{
    ConfirmCommand, IdempotencyClaim, IdempotencyKey, Mode, RecordedBody, RecordedRequest, StoreError, StoredResponse,
    WriteError, Written,
};
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A credit to the first budget.
    Credit,
    /// A transfer from the first budget to the second.
    Transfer,
    /// An authorization on the card.
    Authorization,
    /// The confirmation of the payment batch with this number, from 0.
    Confirmation(usize),
}

/// The outcome of a request, as far as the client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownOutcome {
    /// It was not sent yet.
    NotSent,
    /// It was sent to this instance, and there is no answer yet.
    Sent(usize),
    /// It took effect.
    Acknowledged,
    /// It had no effect.
    NoEffect,
    /// The client cannot tell whether it took effect.
    Unknown,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// The kind of the request.
    pub(crate) kind: Kind,
    /// Its amount in minor units. No two requests have the same amount, except confirmations, which have 0.
    pub(crate) amount: i64,
    /// Whether it has an idempotency key. If so, the client repeats it until it is acknowledged.
    pub(crate) has_key: bool,
    /// Its outcome, as far as the client knows it.
    pub(crate) known: KnownOutcome,
}

impl Request {
    /// Whether the client knows that the request took effect.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.known == KnownOutcome::Acknowledged
    }
}

/// The clients of a run, with all their requests.
#[derive(Clone, Default)]
pub(crate) struct Clients {
    requests: Arc<Mutex<Vec<Request>>>,
    violations: Arc<Mutex<Vec<String>>>,
}

impl Clients {
    /// Chooses the requests of a run.
    pub(crate) fn choose(rng: &mut fastrand::Rng) -> Self {
        let clients = Self::default();
        let mut requests = clients.requests.lock().unwrap();
        for number in 0..rng.i64(4..11) {
            let kind = match rng.u32(0..3) {
                0 => Kind::Credit,
                1 => Kind::Transfer,
                _ => Kind::Authorization,
            };
            requests.push(Request { kind, amount: 1_001 + number, has_key: rng.bool(), known: KnownOutcome::NotSent });
        }
        let mut batches: Vec<usize> = (0..initial_state().batches.len()).collect();
        rng.shuffle(&mut batches);
        for batch in batches.into_iter().take(rng.usize(1..4)) {
            let place = rng.usize(0..=requests.len());
            let kind = Kind::Confirmation(batch);
            requests.insert(place, Request { kind, amount: 0, has_key: true, known: KnownOutcome::NotSent });
        }
        drop(requests);
        clients
    }

    /// Returns clients whose only request is a credit without an idempotency key.
    #[cfg(test)]
    pub(crate) fn of_one_credit() -> Self {
        let clients = Self::default();
        let credit = Request { kind: Kind::Credit, amount: 1_001, has_key: false, known: KnownOutcome::NotSent };
        clients.requests.lock().unwrap().push(credit);
        clients
    }

    /// Returns the first unexpected answer; `None` if there was none.
    pub(crate) fn violation(&self) -> Option<String> {
        self.violations.lock().unwrap().first().cloned()
    }

    /// Returns all requests.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the numbers of the requests that can be sent now.
    pub(crate) fn unsent(&self) -> Vec<usize> {
        let again = |request: &Request| {
            request.has_key && matches!(request.known, KnownOutcome::NoEffect | KnownOutcome::Unknown)
        };
        let unsent = |request: &Request| request.known == KnownOutcome::NotSent || again(request);
        let requests = self.requests.lock().unwrap();
        (0..requests.len()).filter(|number| unsent(&requests[*number])).collect()
    }

    /// Loses the connections to an instance. The outcome of requests that it has not answered becomes unknown.
    pub(crate) fn disconnect(&self, instance: usize) {
        let mut requests = self.requests.lock().unwrap();
        for request in requests.iter_mut().filter(|request| request.known == KnownOutcome::Sent(instance)) {
            request.known = KnownOutcome::Unknown;
        }
    }

    /// Records that a request is sent to an instance.
    pub(crate) fn sent(&self, number: usize, instance: usize) {
        self.requests.lock().unwrap()[number].known = KnownOutcome::Sent(instance);
    }

    /// Sends a request, and stores the answer.
    pub(crate) async fn send(self, number: usize, to: Rc<Ports>) {
        let request = self.requests.lock().unwrap()[number];
        let known = match request.kind {
            Kind::Credit => self.outcome_of(send_credit(&to, request, self.claim(number, request, &to)).await),
            Kind::Transfer => self.outcome_of(send_transfer(&to, request, self.claim(number, request, &to)).await),
            Kind::Authorization => {
                self.outcome_of(send_authorization(&to, request, self.claim(number, request, &to)).await)
            }
            Kind::Confirmation(batch) => {
                self.outcome_of(send_confirmation(&to, batch, self.claim(number, request, &to)).await)
            }
        };
        let mut requests = self.requests.lock().unwrap();
        // The mutant `EarlyAnswer` acknowledges a request before it is answered.
        if requests[number].known != KnownOutcome::Acknowledged {
            requests[number].known = known;
        }
    }

    fn outcome_of<T, R: Debug>(&self, answer: Result<Written<T>, WriteError<R>>) -> KnownOutcome {
        match answer {
            Ok(_) => KnownOutcome::Acknowledged,
            Err(WriteError::Store(StoreError::OutcomeUnknown(_))) => KnownOutcome::Unknown,
            Err(WriteError::Store(StoreError::Unavailable(_) | StoreError::Moving(_) | StoreError::Overloaded)) => {
                KnownOutcome::NoEffect
            }
            Err(error) => {
                self.violations.lock().unwrap().push(format!("a request was answered with {error:?}"));
                KnownOutcome::NoEffect
            }
        }
    }

    fn claim<T>(&self, number: usize, request: Request, to: &Ports) -> Option<IdempotencyClaim<T>> {
        let (clients, early) = (self.clone(), to.mutant == Some(Mutant::EarlyAnswer));
        request.has_key.then(|| IdempotencyClaim {
            client: initial_state().account.client,
            account: initial_state().account.id.clone(),
            key: IdempotencyKey::parse(format!("request-{number}").as_bytes()).unwrap(),
            request: Arc::new(RecordedRequest {
                method: "POST".into(),
                path: format!("/{number}"),
                query: "{}".into(),
                body: RecordedBody::Json("{}".into()),
            }),
            at: noon(),
            response: Arc::new(move |_| {
                if early {
                    clients.requests.lock().unwrap()[number].known = KnownOutcome::Acknowledged;
                }
                StoredResponse { status: 201, body: "{}".into() }
            }),
        })
    }
}

/// Formats an amount in minor units as pounds, such as `10.01`.
fn in_pounds(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

async fn send_credit(
    to: &Ports,
    request: Request,
    claim: Option<IdempotencyClaim<Credit>>,
) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
    let amount = format!("{} GBP", in_pounds(request.amount));
    let instruction = CreditInstruction { budget: budget(0), ..a_credit(&amount) };
    generate_credit(&to.services, &initial_state().account, instruction, Mode::Commit, claim).await
}

async fn send_transfer(
    to: &Ports,
    request: Request,
    claim: Option<IdempotencyClaim<TransferDone>>,
) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
    let amount = format!("{} GBP", in_pounds(request.amount));
    let instruction = TransferInstruction { from: budget(0), ..a_transfer(&amount, budget(1)) };
    transfer(&to.management, &initial_state().account, instruction, Mode::Commit, claim).await
}

async fn send_authorization(
    to: &Ports,
    request: Request,
    claim: Option<IdempotencyClaim<CardTransaction>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let message = a_purchase(&in_pounds(request.amount));
    let new = NewMessage { card: card(), message, merchant_currency: None, pin: None };
    let sent = send_first_message(&to.services, (&initial_state().account).into(), new, Mode::Commit, claim).await;
    sent.map_err(|error| match error {
        FirstMessageError::Write(error) => error,
        other => WriteError::Store(StoreError::Corrupt(other.to_string())),
    })
}

async fn send_confirmation(
    to: &Ports,
    batch: usize,
    claim: Option<IdempotencyClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
    let (time, now) = (to.services.time.clone(), to.services.time.real_now());
    let command = ConfirmCommand {
        account: initial_state().account.id.clone(),
        batch: initial_state().batches[batch],
        session: None,
        decide: Arc::new(move |situation| {
            decide_confirm(situation, None, initial_state().account.client, &Stamp { now, ids: &|| time.real_id() })
        }),
        mode: Mode::Commit,
        claim,
    };
    to.services.batches.confirm(command).await
}
