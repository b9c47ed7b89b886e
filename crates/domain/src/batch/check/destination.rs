//! The destination of a payment: its valid identifiers.

use super::bic;
use crate::iban::Iban;

/// The recipient's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Account {
    /// An IBAN in electronic form.
    Iban(Iban),
    /// An account number: letters and digits.
    Number(String),
}

/// The recipient's bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    /// A UK sort code: six digits.
    SortCode(String),
    /// A BIC in upper case.
    Bic(String),
}

/// The destination of a payment. Missing and invalid identifiers are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) account: Option<Account>,
    pub(super) bank: Option<Bank>,
    /// Whether a bank identifier was uploaded, valid or not.
    pub(super) bank_given: bool,
}

impl Destination {
    /// Returns whether it is a UK account, with a sort code and number or with an IBAN.
    pub(super) fn is_british(&self) -> bool {
        match &self.account {
            Some(Account::Iban(iban)) => iban.country_code() == "GB",
            _ => matches!(self.bank, Some(Bank::SortCode(_))),
        }
    }

    /// Returns whether the bank identifier is a sort code, or invalid.
    pub(super) const fn may_have_sort_code(&self) -> bool {
        match self.bank {
            Some(Bank::SortCode(_)) => true,
            Some(Bank::Bic(_)) => false,
            None => self.bank_given,
        }
    }

    /// Returns the IBAN. `None`: the account has another identifier.
    pub(super) const fn iban(&self) -> Option<&Iban> {
        match &self.account {
            Some(Account::Iban(iban)) => Some(iban),
            _ => None,
        }
    }

    /// Returns the country of the bank. `None`: the identifiers do not show it.
    pub(super) fn country(&self) -> Option<&str> {
        match (&self.account, &self.bank) {
            (Some(Account::Iban(iban)), _) => Some(iban.country_code()),
            (_, Some(Bank::SortCode(_))) => Some("GB"),
            (_, Some(Bank::Bic(code))) => bic::country_of(code),
            _ => None,
        }
    }

    /// Returns a normalized key of the account, which detects duplicates. The key of an account number includes the
    /// bank identifier, if there is one.
    pub(super) fn key(&self) -> Option<String> {
        match (&self.account, &self.bank) {
            (Some(Account::Iban(iban)), _) => Some(iban.electronic_str().to_owned()),
            (Some(Account::Number(number)), Some(Bank::SortCode(code) | Bank::Bic(code))) => {
                Some(format!("{code} {number}"))
            }
            (Some(Account::Number(number)), None) => Some(number.clone()),
            (None, _) => None,
        }
    }
}
