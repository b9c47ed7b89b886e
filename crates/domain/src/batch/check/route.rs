//! How a payment travels, and what that needs.

use super::PaymentInput;
use super::country::{is_country, is_in_sepa};
use super::destination::{Account, Bank, Destination};
use super::findings::{Findings, given, shown};
use super::purpose::Purposes;
use crate::batch::{AlertCode, PaymentNetwork};
use crate::money::Currency;
use iban::IbanLike;

/// The network that was named, or the one that fits.
pub(super) fn network(
    input: &PaymentInput,
    currency: Option<Currency>,
    destination: &Destination,
    findings: &mut Findings<'_>,
) -> Option<PaymentNetwork> {
    let Some(name) = given(input.recipient.payment_network.as_ref()) else {
        return currency.map(|currency| default_network(currency, destination));
    };
    let Some(network) = PaymentNetwork::named(name) else {
        let all = PaymentNetwork::ALL.map(PaymentNetwork::as_str).join(", ");
        findings
            .say(AlertCode::NetworkUnknown, format!("\"{}\" is not a payment network: use one of {all}.", shown(name)));
        return None;
    };
    let only = network.only_currency();
    if let Some((only, currency)) = only.zip(currency).filter(|(only, currency)| *only != currency.code()) {
        let message = format!("{name} carries {only} only, not {currency}. Leave the network out, or use SWIFT.");
        findings.say(AlertCode::NetworkCurrency, message);
    }
    Some(network)
}

fn default_network(currency: Currency, destination: &Destination) -> PaymentNetwork {
    let in_sepa = destination.iban().is_some_and(|iban| is_in_sepa(iban.country_code()));
    match currency.code() {
        "GBP" if destination.is_british() => PaymentNetwork::FasterPayments,
        "EUR" if in_sepa => PaymentNetwork::Sepa,
        _ => PaymentNetwork::Swift,
    }
}

/// Whether the network can find the account.
pub(super) fn reach(
    input: &PaymentInput,
    network: Option<PaymentNetwork>,
    destination: &Destination,
    findings: &mut Findings<'_>,
) {
    match (&destination.account, network) {
        (Some(Account::Iban(iban)), Some(network)) => {
            let country = iban.country_code();
            if network.is_british() && country != "GB" {
                let message = format!("{} reaches UK accounts only, and this IBAN is of {country}.", network.as_str());
                findings.say(AlertCode::IbanInvalid, message);
            } else if network == PaymentNetwork::Sepa && !is_in_sepa(country) {
                findings.say(AlertCode::IbanInvalid, format!("SEPA does not reach {country}. Use SWIFT."));
            }
        }
        (Some(Account::Number(_)), Some(PaymentNetwork::Sepa)) => {
            findings.say(AlertCode::IbanInvalid, "SEPA reaches accounts by IBAN only. Give the IBAN.");
        }
        // A sort code that can't be read was told already.
        (Some(Account::Number(_)), Some(network)) if network.is_british() && !destination.may_have_sort_code() => {
            let message = format!("{} needs a sort code beside the account number.", network.as_str());
            findings.say(AlertCode::BankIdentifierRequired, message);
        }
        (Some(Account::Number(_)), _) if !destination.bank_given => {
            let message = "An account number needs a sort code or a BIC beside it. An IBAN does without.";
            findings.say(AlertCode::BankIdentifierRequired, message);
        }
        _ => {}
    }
    // Where the bank can't be read, nobody knows yet whether the country is needed.
    let needs_country =
        matches!((&destination.account, &destination.bank), (Some(Account::Number(_)), Some(Bank::Bic(_))));
    let country = input.recipient.address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    if needs_country && country.is_none() {
        let message = "Give recipient.address.countryCode: the account number alone does not tell the country.";
        findings.say(AlertCode::CountryRequired, message);
    }
}

pub(super) fn countries(input: &PaymentInput, findings: &mut Findings<'_>) {
    let recipient = &input.recipient;
    let address = recipient.address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    let bank = recipient.bank_address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    for (place, code) in [("recipient.address", address), ("recipient.bankAddress", bank)] {
        if let Some(code) = code.filter(|code| !is_country(code)) {
            let code = shown(code);
            let message = format!("\"{code}\" of {place}.countryCode is not an ISO 3166-1 alpha-2 code, such as GB.");
            findings.say(AlertCode::CountryUnknown, message);
        }
    }
}

pub(super) fn purpose(
    input: &PaymentInput,
    currency: Option<Currency>,
    destination: &Destination,
    findings: &mut Findings<'_>,
) {
    let recipient = &input.recipient;
    let of_bank = recipient.bank_address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    let country = destination.country().or(of_bank);
    let Some(list) = currency.and_then(|currency| Purposes::wanted_by(country, currency)) else { return };
    let (of, example) = (list.of, list.example());
    match given(input.purpose_code.as_ref()) {
        None => {
            let message = format!("The central bank of {of} wants a purpose code, such as {example}.");
            findings.say(AlertCode::PurposeCodeRequired, message);
        }
        Some(code) if !list.know(code) => {
            let message = format!("\"{}\" is not a purpose code of {of}, such as {example}.", shown(code));
            findings.say(AlertCode::PurposeCodeUnknown, message);
        }
        Some(_) => {}
    }
}

pub(super) fn reference(input: &PaymentInput, network: Option<PaymentNetwork>, findings: &mut Findings<'_>) {
    let (Some(network), Some(reference)) = (network, input.effective_reference()) else { return };
    let max = network.longest_reference();
    let too_long = reference.chars().nth(max).is_some();
    let strange = reference.chars().find(|character| !network.carries(*character));
    if too_long || strange.is_some() {
        let name = network.as_str();
        let message = match strange {
            Some(strange) if !strange.is_control() => format!("{name} does not carry \"{strange}\" in a reference."),
            Some(_) => format!("{name} carries no control characters in a reference."),
            None => format!("{name} carries references of at most {max} characters."),
        };
        findings.say(AlertCode::ReferenceInvalid, message);
    }
}
