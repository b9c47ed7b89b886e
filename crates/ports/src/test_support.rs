//! Fakes in addition to the mocks: a frozen clock, ids that count up, a cipher that does not encrypt, and storage of
//! the simulated bank.

use crate::{AcceptedPayment, Clock, IdSource, SandboxBankStorage, SecretCipher, SecretError, StoreError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{AccountId, PaymentId};
use florin_domain::secret::{SealedParts, SealedSecret, Secret, SecretKeyId, SecretOwner};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// A clock that stays frozen until a test advances it.
#[derive(Debug)]
pub struct FakeClock(Mutex<DateTime<Utc>>);

impl FakeClock {
    /// Creates a clock that is frozen at `now`.
    pub const fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// Advances the clock.
    pub fn advance(&self, time: TimeDelta) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A source of ids that count up from 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn next_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}

/// A cipher that binds secrets to their records, but does not encrypt them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FakeCipher;

impl SecretCipher for FakeCipher {
    fn key(&self) -> SecretKeyId {
        SecretKeyId([7; 8])
    }

    fn has(&self, key: SecretKeyId) -> bool {
        key == self.key()
    }

    fn seal(&self, owner: &SecretOwner, secret: &Secret) -> Result<SealedSecret, SecretError> {
        let contents = [owner.to_string().as_bytes(), b"=", secret.expose()].concat();
        Ok(SealedSecret::encrypted(self.key(), &contents))
    }

    fn open(&self, owner: &SecretOwner, sealed: &SealedSecret) -> Result<Secret, SecretError> {
        let damaged = || SecretError::Damaged(owner.clone());
        let Some(SealedParts::Encrypted { contents, .. }) = sealed.parts() else { return Err(damaged()) };
        let secret = contents.strip_prefix(format!("{owner}=").as_bytes()).ok_or_else(damaged)?;
        Ok(Secret::new(secret.to_vec()))
    }
}

/// Storage of the simulated bank in memory. It never loses a payment.
#[derive(Debug, Default)]
pub struct FakeBankStorage(Mutex<BTreeMap<PaymentId, AcceptedPayment>>);

impl FakeBankStorage {
    /// Returns the number of stored payments.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[async_trait]
impl SandboxBankStorage for FakeBankStorage {
    async fn accept(&self, _account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(payment.id).or_insert(payment).clone())
    }

    async fn find(&self, _account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&payment).cloned())
    }
}
