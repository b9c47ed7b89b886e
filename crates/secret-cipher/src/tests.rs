//! Tests of encryption.

use super::*;
use florin_domain::ids::AccountId;

/// An encrypted secret in the form in which the first version of Florin stored it.
const STORED: &str = "01d375b8ced22a165cf8d9a947095ea7\
    f1d3eb53ec885ceee44a65c9f2531caa51611849900a71a9a4d0986df58e95253b0f5e08\
    2e28f39cd9df306b8baa98951b14ac4cf0";

fn key(digit: &str) -> SecretKey {
    SecretKey::parse(&digit.repeat(64)).unwrap()
}

fn ring(current: &str, previous: Option<&str>) -> KeyRing {
    KeyRing::new(key(current), previous.map(key))
}

fn owner(account: &str) -> SecretOwner {
    SecretOwner::Totp(AccountId::parse(account).unwrap())
}

fn secret() -> Secret {
    Secret::new(b"twenty bytes of totp".to_vec())
}

#[test]
fn a_secret_is_decrypted_for_its_record_only() {
    let ring = ring("1", None);
    let sealed = ring.seal(&owner("F1"), &secret()).unwrap();
    assert_eq!(ring.open(&owner("F1"), &sealed), Ok(secret()));
    assert_eq!(ring.open(&owner("F2"), &sealed), Err(SecretError::Damaged(owner("F2"))));
    assert!(sealed.is_under(ring.key()));
    assert!(!sealed.as_bytes().windows(5).any(|part| part == b"bytes"));
    assert_ne!(ring.seal(&owner("F1"), &secret()).unwrap(), sealed, "a nonce is used twice");
}

#[test]
fn every_changed_byte_is_detected() {
    let ring = ring("1", None);
    let sealed = ring.seal(&owner("F1"), &secret()).unwrap();
    for place in 0..sealed.as_bytes().len() {
        let mut bytes = sealed.as_bytes().to_vec();
        bytes[place] ^= 1;
        assert!(ring.open(&owner("F1"), &SealedSecret::new(bytes)).is_err(), "byte {place}");
    }
    for length in 0..sealed.as_bytes().len() {
        let cut = SealedSecret::new(sealed.as_bytes()[..length].to_vec());
        assert!(ring.open(&owner("F1"), &cut).is_err(), "{length} bytes");
    }
}

#[test]
fn a_secret_in_clear_is_not_accepted() {
    let clear = SealedSecret::clear(&secret());
    assert_eq!(ring("1", None).open(&owner("F1"), &clear), Err(SecretError::Damaged(owner("F1"))));
}

#[test]
fn the_previous_key_decrypts_and_the_current_one_encrypts() {
    let old = ring("1", None).seal(&owner("F1"), &secret()).unwrap();
    let both = ring("2", Some("1"));
    assert_eq!(both.open(&owner("F1"), &old), Ok(secret()));
    let new = both.seal(&owner("F1"), &secret()).unwrap();
    assert!(new.is_under(key("2").id()) && both.has(key("1").id()) && !both.has(key("3").id()));
    let missing = SecretError::Key { owner: owner("F1"), key: key("1").id() };
    assert_eq!(ring("2", None).open(&owner("F1"), &old), Err(missing));
}

#[test]
fn keys_are_64_hexadecimal_digits_and_not_printed() {
    let text = "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789";
    let key = SecretKey::parse(text).unwrap();
    assert_eq!(*key.to_hex(), text.to_lowercase());
    assert_eq!(SecretKey::from_stored(&key.to_secret()).unwrap().id(), key.id());
    for wrong in ["", &text[1..], &text.replace('0', "g"), &"é".repeat(32), &format!("{text}0")] {
        assert!(SecretKey::parse(wrong).is_none(), "{wrong}");
    }
    let printed = format!("{key:?} {:?}", KeyRing::new(key.clone(), Some(key.clone())));
    assert!(!printed.contains("0123456789abcdef"), "{printed}");
    assert_ne!(SecretKey::random().unwrap().id(), SecretKey::random().unwrap().id());
}

/// Later versions can still decrypt a stored secret.
#[test]
fn the_stored_form_does_not_change() {
    let digits = STORED.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    let stored = digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    assert_eq!(ring("1", None).open(&owner("F1"), &SealedSecret::new(stored)), Ok(secret()));
}
