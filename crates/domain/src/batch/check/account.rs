//! Checks of the recipient's account and bank: parses the IBAN, account number, sort code or BIC.

use super::destination::{Account, Bank, Destination};
use super::findings::{Findings, given, shown};
use super::modulus::ModulusTable;
use super::{PaymentInput, bic, country};
use crate::batch::AlertCode;
use crate::iban::Iban;
use std::ops::Range;

/// Parses account and bank, and checks that they match.
pub(super) fn destination(input: &PaymentInput, table: &ModulusTable, findings: &mut Findings<'_>) -> Destination {
    let recipient = &input.recipient;
    let bank_given = given(recipient.bank_identifier.as_ref());
    let bank = bank_given.and_then(|text| parse_bank(text, findings));
    // A sort code of five digits has lost a leading zero. It still counts as a sort code.
    let has_sort_code = match &bank {
        Some(bank) => matches!(bank, Bank::SortCode(_)),
        None => bank_given.is_some_and(|text| lost_zeros_hint(&compact(text), 5..6, 6).is_some()),
    };
    let account = parse_account(given(recipient.account_identifier.as_ref()), has_sort_code, findings);
    let found = Destination { account, bank, bank_given: bank_given.is_some() };
    check_match(&found, table, findings);
    let intermediary = given(recipient.intermediary_bank_identifier.as_ref());
    if let Some(text) = intermediary.filter(|text| bic::country_of(&compact(text)).is_none()) {
        let message = format!(
            "recipient.intermediaryBankIdentifier must be a BIC of 8 or 11 characters (got \"{}\")",
            shown(text)
        );
        findings.add(AlertCode::BankIdentifierInvalid, message);
    }
    found
}

fn parse_account(text: Option<&str>, has_sort_code: bool, findings: &mut Findings<'_>) -> Option<Account> {
    let Some(text) = text else {
        findings.add(
            AlertCode::AccountIdentifierRequired,
            "recipient.accountIdentifier is required: an IBAN or an account number",
        );
        return None;
    };
    let compact = compact(text);
    let is_iban = compact.len() > 4
        && compact.bytes().take(2).all(|byte| byte.is_ascii_uppercase())
        && compact.bytes().skip(2).take(2).all(|byte| byte.is_ascii_digit());
    if is_iban {
        return match Iban::parse(&compact) {
            Ok(iban) => Some(Account::Iban(iban)),
            Err(why) => {
                findings.add(
                    AlertCode::IbanInvalid,
                    format!("recipient.accountIdentifier must be a valid IBAN: {why} (got \"{}\")", shown(text)),
                );
                None
            }
        };
    }
    let digits = compact.bytes().all(|byte| byte.is_ascii_digit());
    let (fits, expected) = if has_sort_code {
        (digits && compact.len() == 8, "8 digits, because bankIdentifier is a sort code")
    } else {
        let alphanumeric = compact.bytes().all(|byte| byte.is_ascii_alphanumeric());
        ((1..=34).contains(&compact.len()) && alphanumeric, "1 to 34 letters and digits")
    };
    if !fits {
        let hint = if has_sort_code { lost_zeros_hint(&compact, 6..8, 8).unwrap_or_default() } else { String::new() };
        let message = format!("recipient.accountIdentifier must be {expected} (got \"{}\"){hint}", shown(text));
        findings.add(AlertCode::AccountNumberInvalid, message);
        return None;
    }
    Some(Account::Number(compact))
}

fn parse_bank(text: &str, findings: &mut Findings<'_>) -> Option<Bank> {
    let compact = compact(text);
    if compact.bytes().all(|byte| byte.is_ascii_digit()) {
        if compact.len() == 6 {
            return Some(Bank::SortCode(compact));
        }
        let message = format!(
            "recipient.bankIdentifier must be a sort code of 6 digits, or a BIC (got \"{}\"){}",
            shown(text),
            lost_zeros_hint(&compact, 5..6, 6).unwrap_or_default()
        );
        findings.add(AlertCode::SortCodeInvalid, message);
        return None;
    }
    if bic::country_of(&compact).is_none() {
        let message = format!(
            "recipient.bankIdentifier must be a sort code or a BIC of 8 or 11 characters (got \"{}\")",
            shown(text)
        );
        findings.add(AlertCode::BankIdentifierInvalid, message);
        return None;
    }
    Some(Bank::Bic(compact))
}

/// Checks that bank and account are in the same country, and that sort code and account number match.
fn check_match(found: &Destination, table: &ModulusTable, findings: &mut Findings<'_>) {
    if let (Some(iban), Some(bank)) = (found.iban(), &found.bank) {
        let of_bank = match bank {
            Bank::SortCode(_) => "GB",
            Bank::Bic(code) => bic::country_of(code).unwrap_or_default(),
        };
        if !country::has_ibans_of(of_bank, iban.country_code()) {
            let of_account = iban.country_code();
            let message = format!(
                "recipient.bankIdentifier must be a bank in the country of the IBAN, {of_account} (got {of_bank})"
            );
            findings.add(AlertCode::BankCountryMismatch, message);
        }
    }
    if let (Some((code, _)), Some(Bank::SortCode(given))) = (found.iban().and_then(Iban::british), &found.bank)
        && given != code
    {
        let message = format!("recipient.bankIdentifier must be the sort code of the IBAN, {code} (got {given})");
        findings.add(AlertCode::SortCodeInvalid, message);
    }
    let pair = match (&found.account, &found.bank) {
        (Some(Account::Number(number)), Some(Bank::SortCode(code))) => Some((code.as_str(), number.as_str())),
        (Some(Account::Iban(iban)), _) => iban.british(),
        _ => None,
    };
    if pair.is_some_and(|(code, number)| !table.fits(code, number)) {
        let message =
            "recipient.accountIdentifier must pass the modulus check for its sort code: correct one of the two";
        findings.add(AlertCode::ModulusCheckFailed, message);
    }
}

/// Returns a hint for digits without their leading zeros, which spreadsheets remove. `None`: the number of digits is
/// not in `lengths`.
fn lost_zeros_hint(digits: &str, lengths: Range<usize>, full: usize) -> Option<String> {
    let is_number = lengths.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("; did you mean {digits:0>full$}?"))
}

/// Removes spaces and hyphens, truncates to 100 characters, and converts to upper case.
pub(crate) fn compact(text: &str) -> String {
    let characters = text.chars().filter(|character| !matches!(character, ' ' | '-'));
    characters.take(100).map(|character| character.to_ascii_uppercase()).collect()
}
