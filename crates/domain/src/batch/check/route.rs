//! Choice of the payment network, and the values that the network requires.

use super::PaymentInput;
use super::country::{is_country, is_in_sepa};
use super::destination::{Account, Bank, Destination};
use super::findings::{Findings, given, shown};
use super::purpose::Purposes;
use crate::batch::{AlertCode, PaymentNetwork};
use crate::money::Currency;

/// Returns the network that the row names, or the default network for its currency and destination.
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
        findings.add(
            AlertCode::NetworkUnknown,
            format!("recipient.paymentNetwork must be one of {all} (got \"{}\")", shown(name)),
        );
        return None;
    };
    let only = network.only_currency();
    if let Some((only, currency)) = only.zip(currency).filter(|(only, currency)| *only != currency.code()) {
        let message = format!(
            "recipient.paymentNetwork must carry {currency}: {name} carries {only} only; omit it, or use SWIFT"
        );
        findings.add(AlertCode::NetworkCurrency, message);
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

/// Checks that the network can reach the account, and that the row has the identifiers and country that this requires.
pub(super) fn reachability(
    input: &PaymentInput,
    network: Option<PaymentNetwork>,
    destination: &Destination,
    findings: &mut Findings<'_>,
) {
    match (&destination.account, network) {
        (Some(Account::Iban(iban)), Some(network)) => {
            let country = iban.country_code();
            if network.is_british() && country != "GB" {
                let message = format!(
                    "recipient.accountIdentifier must be a UK IBAN for {} (got one of {country})",
                    network.as_str()
                );
                findings.add(AlertCode::IbanInvalid, message);
            } else if network == PaymentNetwork::Sepa && !is_in_sepa(country) {
                let message = "recipient.accountIdentifier must be an IBAN of a SEPA country";
                findings.add(AlertCode::IbanInvalid, format!("{message} (got one of {country}); use SWIFT"));
            }
        }
        (Some(Account::Number(_)), Some(PaymentNetwork::Sepa)) => {
            findings.add(AlertCode::IbanInvalid, "recipient.accountIdentifier must be an IBAN for SEPA");
        }
        // An invalid sort code has an alert already.
        (Some(Account::Number(_)), Some(network)) if network.is_british() && !destination.may_have_sort_code() => {
            let message = format!(
                "recipient.bankIdentifier is required: {} needs a sort code with an account number",
                network.as_str()
            );
            findings.add(AlertCode::BankIdentifierRequired, message);
        }
        (Some(Account::Number(_)), _) if !destination.bank_given => {
            let message = "recipient.bankIdentifier is required with an account number: a sort code or a BIC";
            findings.add(AlertCode::BankIdentifierRequired, message);
        }
        _ => {}
    }
    // If the bank identifier is invalid, it is unknown whether the country is required.
    let needs_country =
        matches!((&destination.account, &destination.bank), (Some(Account::Number(_)), Some(Bank::Bic(_))));
    let country = input.recipient.address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    if needs_country && country.is_none() {
        let message = "recipient.address.countryCode is required with an account number and a BIC";
        findings.add(AlertCode::CountryRequired, message);
    }
}

pub(super) fn countries(input: &PaymentInput, findings: &mut Findings<'_>) {
    let recipient = &input.recipient;
    let address = recipient.address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    let bank = recipient.bank_address.as_ref().and_then(|address| given(address.country_code.as_ref()));
    for (place, code) in [("recipient.address", address), ("recipient.bankAddress", bank)] {
        if let Some(code) = code.filter(|code| !is_country(code)) {
            let code = shown(code);
            let message = format!("{place}.countryCode must be an ISO 3166-1 alpha-2 code such as GB (got \"{code}\")");
            findings.add(AlertCode::CountryUnknown, message);
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
    let Some(list) = currency.and_then(|currency| Purposes::required_by(country, currency)) else { return };
    let (of, example) = (list.of, list.example());
    match given(input.purpose_code.as_ref()) {
        None => {
            let message = format!("purposeCode is required by the central bank of {of}, such as {example}");
            findings.add(AlertCode::PurposeCodeRequired, message);
        }
        Some(code) if !list.contains(code) => {
            let message =
                format!("purposeCode must be a purpose code of {of}, such as {example} (got \"{}\")", shown(code));
            findings.add(AlertCode::PurposeCodeUnknown, message);
        }
        Some(_) => {}
    }
}

pub(super) fn reference(input: &PaymentInput, network: Option<PaymentNetwork>, findings: &mut Findings<'_>) {
    let (Some(network), Some(reference)) = (network, input.effective_reference()) else { return };
    let max = network.longest_reference();
    let too_long = reference.chars().nth(max).is_some();
    let unsupported = reference.chars().find(|character| !network.allows_in_reference(*character));
    if too_long || unsupported.is_some() {
        let name = network.as_str();
        let message = match unsupported {
            Some(unsupported) if !unsupported.is_control() => {
                format!("reference must not contain \"{unsupported}\" for {name}")
            }
            Some(_) => format!("reference must not contain control characters for {name}"),
            None => {
                format!("reference must be at most {max} characters for {name} (got {})", reference.chars().count())
            }
        };
        findings.add(AlertCode::ReferenceInvalid, message);
    }
}
