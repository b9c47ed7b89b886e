//! Tests of every outcome that a reference selects, and of repeated payments.

use super::*;
use chrono::{DateTime, TimeDelta};
use florin_domain::batch::{FailureReason, PaymentNetwork, PaymentOutcome, RecipientInput};
use florin_domain::money::{Currency, Minor};
use florin_ports::test_support::{FakeBankStorage, FakeClock};
use uuid::Uuid;

const ID: PaymentId = PaymentId(Uuid::from_u128(1));

fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

fn instruction(reference: &str) -> PaymentInstruction {
    PaymentInstruction {
        account: account(),
        id: ID,
        amount: Minor(100).of(Currency::parse("GBP").unwrap()),
        network: PaymentNetwork::FasterPayments,
        recipient: RecipientInput::default(),
        reference: Some(reference.into()),
        purpose_code: None,
        purpose: None,
    }
}

/// Returns the bank's reports when a payment is sent, and after each of the given pauses in seconds.
async fn reports(reference: &str, seconds: &[i64]) -> Vec<PaymentOutcome> {
    let clock = Arc::new(FakeClock::at(DateTime::UNIX_EPOCH));
    let bank = SandboxBank::new(Arc::new(FakeBankStorage::default()), clock.clone());
    assert_eq!(bank.ask(&account(), ID).await, Ok(None), "nothing was sent yet");
    let mut reports = vec![bank.send(instruction(reference)).await.unwrap().outcome];
    for pause in seconds {
        clock.advance(TimeDelta::seconds(*pause));
        reports.push(bank.ask(&account(), ID).await.unwrap().unwrap().outcome);
    }
    reports
}

#[tokio::test]
async fn every_reference_has_its_scripted_outcome() {
    use PaymentOutcome::{Completed, Failed, Pending, Returned};
    for (reference, reason) in [
        ("SBX-FAIL-CLOSED", FailureReason::AccountClosed),
        ("SBX-FAIL-ACCOUNT", FailureReason::AccountNotFound),
        ("SBX-FAIL-NAME", FailureReason::NameMismatch),
        ("SBX-FAIL-REJECTED", FailureReason::RejectedByBank),
        ("SBX-FAIL-BLOCKED", FailureReason::Compliance),
    ] {
        assert_eq!(reports(reference, &[10]).await, [Failed(reason); 2], "{reference}");
    }
    assert_eq!(reports("SBX-PENDING", &[10_000]).await, [Pending; 2]);
    assert_eq!(reports("SBX-SLOW", &[4, 1]).await, [Pending, Pending, Completed]);
    let returned = Returned(FailureReason::AccountClosed);
    assert_eq!(reports("SBX-RETURN", &[1, 1]).await, [Completed, Completed, returned]);
    assert_eq!(reports("Invoice 12", &[1]).await, [Completed; 2]);
}

#[tokio::test]
async fn a_repeated_payment_keeps_its_first_outcome() {
    let clock = Arc::new(FakeClock::at(DateTime::UNIX_EPOCH));
    let storage = Arc::new(FakeBankStorage::default());
    let bank = SandboxBank::new(storage.clone(), clock.clone());
    bank.send(instruction("SBX-SLOW")).await.unwrap();
    clock.advance(TimeDelta::seconds(5));
    let again = bank.send(instruction("SBX-FAIL-CLOSED")).await.unwrap();
    assert_eq!(again.outcome, PaymentOutcome::Completed);
    assert_eq!(storage.count(), 1);
}
