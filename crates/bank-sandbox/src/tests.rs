//! Every ending, and that a payment arrives once.

use super::*;
use chrono::{DateTime, TimeDelta};
use florin_domain::batch::{FailureReason, PaymentNetwork, PaymentOutcome, RecipientInput};
use florin_domain::money::{Currency, Minor};
use florin_ports::test_support::FakeClock;
use std::collections::BTreeMap;
use std::sync::Mutex;
use uuid::Uuid;

/// A memory as the port promises it.
#[derive(Default)]
struct Notebook(Mutex<BTreeMap<PaymentId, AcceptedPayment>>);

#[async_trait]
impl SandboxBankMemory for Notebook {
    async fn accept(&self, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        Ok(self.0.lock().unwrap().entry(payment.id).or_insert(payment).clone())
    }

    async fn find(&self, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        Ok(self.0.lock().unwrap().get(&payment).cloned())
    }
}

const ID: PaymentId = PaymentId(Uuid::from_u128(1));

fn instruction(reference: &str) -> PaymentInstruction {
    PaymentInstruction {
        id: ID,
        amount: Minor(100).of(Currency::parse("GBP").unwrap()),
        network: PaymentNetwork::FasterPayments,
        recipient: RecipientInput::default(),
        reference: Some(reference.into()),
        purpose_code: None,
        purpose: None,
    }
}

/// What the bank says when it is sent a payment, and after each of some seconds.
async fn play(reference: &str, seconds: &[i64]) -> Vec<PaymentOutcome> {
    let clock = Arc::new(FakeClock::at(DateTime::UNIX_EPOCH));
    let bank = SandboxBank::new(Arc::new(Notebook::default()), clock.clone());
    assert_eq!(bank.ask(ID).await, Ok(None), "nothing was sent yet");
    let mut told = vec![bank.send(instruction(reference)).await.unwrap().outcome];
    for pause in seconds {
        clock.advance(TimeDelta::seconds(*pause));
        told.push(bank.ask(ID).await.unwrap().unwrap().outcome);
    }
    told
}

#[tokio::test]
async fn every_reference_plays_its_ending() {
    use PaymentOutcome::{Completed, Failed, Pending, Returned};
    for (reference, reason) in [
        ("SBX-FAIL-CLOSED", FailureReason::AccountClosed),
        ("SBX-FAIL-ACCOUNT", FailureReason::AccountNotFound),
        ("SBX-FAIL-NAME", FailureReason::NameMismatch),
        ("SBX-FAIL-REJECTED", FailureReason::RejectedByBank),
        ("SBX-FAIL-BLOCKED", FailureReason::Compliance),
    ] {
        assert_eq!(play(reference, &[10]).await, [Failed(reason); 2], "{reference}");
    }
    assert_eq!(play("SBX-PENDING", &[10_000]).await, [Pending; 2]);
    assert_eq!(play("SBX-SLOW", &[4, 1]).await, [Pending, Pending, Completed]);
    let returned = Returned(FailureReason::AccountClosed);
    assert_eq!(play("SBX-RETURN", &[1, 1]).await, [Completed, Completed, returned]);
    assert_eq!(play("Invoice 12", &[1]).await, [Completed; 2]);
}

#[tokio::test]
async fn a_payment_that_is_sent_again_is_the_first_one() {
    let clock = Arc::new(FakeClock::at(DateTime::UNIX_EPOCH));
    let memory = Arc::new(Notebook::default());
    let bank = SandboxBank::new(memory.clone(), clock.clone());
    bank.send(instruction("SBX-SLOW")).await.unwrap();
    clock.advance(TimeDelta::seconds(5));
    let again = bank.send(instruction("SBX-FAIL-CLOSED")).await.unwrap();
    assert_eq!(again.outcome, PaymentOutcome::Completed);
    assert_eq!(memory.0.lock().unwrap().len(), 1);
}
