//! Tests that a rotation can be interrupted at any point and resumed, and that no secret is lost.

use super::{other_key, rotate_secrets};
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::secret::{SealedParts, SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{SecretCipher, SecretError, Secrets, StoreError, StoredSecret};
use std::collections::BTreeMap;
use std::sync::Mutex;

const OLD: SecretKeyId = SecretKeyId([1; 8]);
const NEW: SecretKeyId = SecretKeyId([2; 8]);
const SECRETS: u8 = 5;

/// Marks secrets with the id of the key, instead of encrypting them.
struct Marking;

impl SecretCipher for Marking {
    fn key(&self) -> SecretKeyId {
        NEW
    }

    fn has(&self, key: SecretKeyId) -> bool {
        [OLD, NEW].contains(&key)
    }

    fn seal(&self, _: &SecretOwner, secret: &Secret) -> Result<SealedSecret, SecretError> {
        Ok(SealedSecret::encrypted(NEW, secret.expose()))
    }

    fn open(&self, owner: &SecretOwner, sealed: &SealedSecret) -> Result<Secret, SecretError> {
        match sealed.parts() {
            Some(SealedParts::Encrypted { contents, .. }) => Ok(Secret::new(contents.to_vec())),
            _ => Err(SecretError::Damaged(owner.clone())),
        }
    }
}

/// A store that fails after a limited number of changes.
struct Interrupted(Mutex<State>);

struct State {
    changes_left: usize,
    key: SecretKeyId,
    /// The key of a part of the store.
    key_of_part: SecretKeyId,
    secrets: BTreeMap<SecretOwner, SealedSecret>,
}

impl Interrupted {
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, StoreError> {
        let mut state = self.0.lock().unwrap();
        let left = state.changes_left.checked_sub(1).ok_or_else(|| StoreError::Unavailable("killed".into()))?;
        state.changes_left = left;
        Ok(change(&mut state))
    }
}

#[async_trait]
impl Secrets for Interrupted {
    async fn secret_key(&self) -> Result<Option<StoreKey>, StoreError> {
        Ok(Some(StoreKey { id: self.0.lock().unwrap().key, kept: None }))
    }

    async fn bind_secret_key(&self, _: StoreKey) -> Result<StoreKey, StoreError> {
        Ok(StoreKey { id: self.0.lock().unwrap().key_of_part, kept: None })
    }

    async fn change_secret_key(&self, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> {
        self.change(|state| {
            let is_bound = state.key == from;
            for key in [&mut state.key, &mut state.key_of_part] {
                if *key == from {
                    *key = to.id;
                }
            }
            is_bound
        })
    }

    async fn page_secret(&self, _new: SealedSecret) -> Result<SealedSecret, StoreError> {
        unreachable!("only a server reads the page secret")
    }

    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError> {
        let state = self.0.lock().unwrap();
        let included = state.secrets.iter().filter(|(_, secret)| filter.includes(secret));
        let stored = |(owner, secret): (&SecretOwner, &SealedSecret)| StoredSecret {
            owner: owner.clone(),
            secret: secret.clone(),
        };
        Ok(included.take(max as usize).map(stored).collect())
    }

    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError> {
        self.change(|state| match state.secrets.get_mut(owner) {
            Some(secret) if secret == old => {
                *secret = new;
                true
            }
            _ => false,
        })
    }
}

/// Returns a store that is bound to a key, with a part that is bound to the old one, and only old secrets.
fn store(changes_left: usize, key: SecretKeyId) -> Interrupted {
    Interrupted(Mutex::new(State { changes_left, key, key_of_part: OLD, secrets: secrets(OLD) }))
}

fn secrets(key: SecretKeyId) -> BTreeMap<SecretOwner, SealedSecret> {
    let owner = |number| SecretOwner::Totp(AccountId::parse(&format!("F{number}")).unwrap());
    (0..SECRETS).map(|number| (owner(number), SealedSecret::encrypted(key, &[number]))).collect()
}

#[tokio::test]
async fn an_interrupted_rotation_is_resumed() {
    for changes_left in 0..=usize::from(SECRETS) {
        let store = store(changes_left, OLD);
        rotate_secrets(&store, &Marking).await.unwrap_err();
        {
            let mut state = store.0.lock().unwrap();
            // The store stays bound to the old key until every secret is under the new key.
            assert_eq!(state.key, OLD, "after {changes_left} changes");
            state.changes_left = usize::MAX;
        }
        let rotated = rotate_secrets(&store, &Marking).await.unwrap();
        assert_eq!(rotated, usize::from(SECRETS) - changes_left);
        let state = store.0.into_inner().unwrap();
        let keys = [state.key, state.key_of_part];
        assert_eq!((keys, state.secrets), ([NEW; 2], secrets(NEW)), "after {changes_left} changes");
    }
}

#[tokio::test]
async fn a_rotation_repairs_a_part_that_was_left_out() {
    let store = store(usize::MAX, NEW);
    assert_eq!(other_key(&store, NEW).await, Ok(Some(OLD)));
    assert_eq!(rotate_secrets(&store, &Marking).await.unwrap(), usize::from(SECRETS));
    assert_eq!(other_key(&store, NEW).await, Ok(None));
    assert_eq!(store.0.into_inner().unwrap().key_of_part, NEW);
}
