//! The bank, and the network to it, which loses, delays and repeats messages.

use async_trait::async_trait;
use florin_bank_sandbox::SandboxBank;
use florin_domain::batch::{PaymentInstruction, PaymentReport};
use florin_domain::ids::{AccountId, PaymentId};
use florin_ports::test_support::FakeBankStorage;
use florin_ports::{Clock, PaymentRail, RailUnavailable};
use futures_util::FutureExt;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// The network between all instances and the bank.
pub(crate) struct Network {
    rng: Mutex<fastrand::Rng>,
    state: Mutex<State>,
    bank: SandboxBank,
}

#[derive(Default)]
struct State {
    /// Whether the network has no faults any more.
    is_faultless: bool,
    /// Answers that wait for their delivery.
    waiting: Vec<oneshot::Sender<()>>,
    /// Requests that arrive later: copies, and requests that their senders gave up.
    underway: Vec<PaymentInstruction>,
}

/// The fate of one request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestFate {
    Good,
    RequestLost,
    AnswerLost,
    RequestLate,
    AnswerDelayed,
    Twice,
}

impl Network {
    /// Creates a network with its own bank.
    pub(crate) fn new(seed: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        let bank = SandboxBank::new(Arc::new(FakeBankStorage::default()), clock);
        let rng = Mutex::new(fastrand::Rng::with_seed(seed));
        Arc::new(Self { rng, state: Mutex::default(), bank })
    }

    /// Returns the connection of one instance: to the network's bank, or to the bank `inside` the instance, which keeps
    /// its payments in the instance's store.
    pub(crate) fn rail(self: &Arc<Self>, inside: Option<SandboxBank>) -> Rail {
        let is_outside = inside.is_none();
        Rail { network: Arc::clone(self), bank: inside.unwrap_or_else(|| self.bank.clone()), is_outside }
    }

    /// Ends all faults of the network.
    pub(crate) fn end_faults(&self) {
        self.state.lock().unwrap().is_faultless = true;
    }

    /// The number of answers that wait for their delivery.
    pub(crate) fn waiting(&self) -> usize {
        self.state.lock().unwrap().waiting.len()
    }

    /// Delivers one of the answers that wait.
    pub(crate) fn deliver(&self, number: usize) {
        let gate = self.state.lock().unwrap().waiting.swap_remove(number);
        // Nobody waits for the answer any more if the instance has ended.
        let _ = gate.send(());
    }

    /// The number of requests that arrive late.
    pub(crate) fn underway(&self) -> usize {
        self.state.lock().unwrap().underway.len()
    }

    /// Lets a late request arrive. Its answer is lost.
    pub(crate) fn arrive(&self, number: usize) {
        let instruction = self.state.lock().unwrap().underway.swap_remove(number);
        let arrived = self.bank.send(instruction).now_or_never();
        assert!(arrived.is_some_and(|report| report.is_ok()), "the bank always answers");
    }

    fn fate(&self) -> RequestFate {
        if self.state.lock().unwrap().is_faultless {
            return RequestFate::Good;
        }
        match self.rng.lock().unwrap().u32(0..20) {
            0 | 1 => RequestFate::RequestLost,
            2 | 3 => RequestFate::AnswerLost,
            4 | 5 => RequestFate::RequestLate,
            6..=9 => RequestFate::AnswerDelayed,
            10 => RequestFate::Twice,
            _ => RequestFate::Good,
        }
    }

    async fn delay(&self) {
        let (gate, delivered) = oneshot::channel();
        self.state.lock().unwrap().waiting.push(gate);
        let _ = delivered.await;
    }
}

/// The connection of one instance to the bank.
pub(crate) struct Rail {
    network: Arc<Network>,
    bank: SandboxBank,
    /// Whether the bank is outside the instance: then requests can arrive even after the instance has ended.
    is_outside: bool,
}

#[async_trait]
impl PaymentRail for Rail {
    async fn send(&self, instruction: PaymentInstruction) -> Result<PaymentReport, RailUnavailable> {
        let fate = self.network.fate();
        if fate == RequestFate::RequestLost {
            return Err(lost());
        }
        if self.is_outside && matches!(fate, RequestFate::RequestLate | RequestFate::Twice) {
            self.network.state.lock().unwrap().underway.push(instruction.clone());
            if fate == RequestFate::RequestLate {
                return Err(lost());
            }
        }
        let report = self.bank.send(instruction).await?;
        if fate == RequestFate::AnswerDelayed {
            self.network.delay().await;
        }
        if fate == RequestFate::AnswerLost { Err(lost()) } else { Ok(report) }
    }

    async fn ask(&self, account: &AccountId, payment: PaymentId) -> Result<Option<PaymentReport>, RailUnavailable> {
        let fate = self.network.fate();
        let report = self.bank.ask(account, payment).await?;
        if fate == RequestFate::AnswerDelayed {
            self.network.delay().await;
        }
        if matches!(fate, RequestFate::RequestLost | RequestFate::AnswerLost) { Err(lost()) } else { Ok(report) }
    }
}

fn lost() -> RailUnavailable {
    RailUnavailable("no answer in time".into())
}
