//! Money that enters or leaves a budget, as events describe it.

use crate::batch::{Payment, PaymentNetwork, PaymentTerms, compact, country_of};
use crate::iban::Iban;
use crate::ids::BudgetId;
use crate::money::{Currency, Minor};

/// Money that entered or left the ledger balance of a budget, except by card messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetEvent {
    /// Its number in the account's sequence of credits, top-ups, transfers and payments.
    pub number: i64,
    /// The budget.
    pub budget: BudgetId,
    /// The name of the budget.
    pub budget_name: String,
    /// The amount, above zero.
    pub amount: Minor,
    /// The currency.
    pub currency: Currency,
    /// The ledger balance of the budget after the movement.
    pub ledger_balance: Minor,
    /// The source of the movement.
    pub source: MovementSource,
    /// The payment method.
    pub method: PaymentMethod,
    /// The order that the movement belongs to, if there is one.
    pub order: Option<String>,
    /// The reference that the parties see.
    pub reference: Option<String>,
    /// The bank identifier of the other party: a BIC or a sort code.
    pub bank_identifier: Option<String>,
    /// The address of the other party's bank.
    pub institution_address: Option<String>,
    /// The account identifier of the other party: an IBAN or an account number.
    pub identification: Option<String>,
    /// The name of the sender.
    pub remitters_name: Option<String>,
    /// The address of the sender.
    pub remitters_address: Option<String>,
}

/// The source of a movement of a budget's money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementSource {
    /// Money came from outside.
    Deposits,
    /// A transfer or a payment moved the money.
    Orders,
}

impl MovementSource {
    /// Returns the name in bodies of events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deposits => "deposits",
            Self::Orders => "orders",
        }
    }
}

/// A payment method, by the names of UK Open Banking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentMethod {
    /// UK Faster Payments.
    FasterPayments,
    /// UK Bacs.
    Bacs,
    /// UK CHAPS.
    Chaps,
    /// The Single Euro Payments Area.
    Sepa,
    /// Swift.
    Swift,
    /// A transfer between two budgets.
    BalanceTransfer,
}

impl PaymentMethod {
    /// Returns the name in bodies of events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FasterPayments => "UK.OBIE.FPS",
            Self::Bacs => "UK.OBIE.BACS",
            Self::Chaps => "UK.OBIE.CHAPS",
            Self::Sepa => "UK.OBIE.SEPACreditTransfer",
            Self::Swift => "UK.OBIE.SWIFT",
            Self::BalanceTransfer => "UK.OBIE.BalanceTransfer",
        }
    }
}

impl From<PaymentNetwork> for PaymentMethod {
    fn from(network: PaymentNetwork) -> Self {
        match network {
            PaymentNetwork::FasterPayments => Self::FasterPayments,
            PaymentNetwork::Bacs => Self::Bacs,
            PaymentNetwork::Chaps => Self::Chaps,
            PaymentNetwork::Sepa => Self::Sepa,
            PaymentNetwork::Swift => Self::Swift,
        }
    }
}

impl BudgetEvent {
    /// Creates the movement of a payment or its return. `amount` is the moved amount, and `ledger_balance` the ledger
    /// balance after it.
    pub(crate) fn of_payment(
        (payment, terms): (&Payment, &PaymentTerms),
        number: i64,
        budget_name: String,
        (amount, ledger_balance): (Minor, Minor),
    ) -> Self {
        let recipient = &payment.input.recipient;
        Self {
            number,
            budget: terms.budget,
            budget_name,
            amount,
            currency: terms.currency,
            ledger_balance,
            source: MovementSource::Orders,
            method: terms.network.into(),
            order: Some(terms.order.to_string()),
            reference: payment.input.effective_reference().map(str::to_owned),
            bank_identifier: recipient.bank_identifier.clone(),
            institution_address: None,
            identification: recipient.account_identifier.clone(),
            remitters_name: None,
            remitters_address: None,
        }
    }

    /// Returns the account identifier of the other party with all but its last four characters masked.
    pub fn masked_identification(&self) -> Option<String> {
        let characters: Vec<char> = compact(self.identification.as_deref()?).chars().collect();
        // A short text is masked completely.
        let shown = if characters.len() > 4 { &characters[characters.len() - 4..] } else { &[] };
        Some(format!("****{}", shown.iter().collect::<String>()))
    }

    /// Returns the kind of the account identifier, by the names of UK Open Banking. `None`: it is unknown.
    pub fn identification_scheme(&self) -> Option<&'static str> {
        let text = compact(self.identification.as_deref()?);
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && matches!(text.len(), 8 | 14);
        match Iban::parse(&text) {
            Ok(_) => Some("UK.OBIE.IBAN"),
            Err(_) => is_number.then_some("UK.OBIE.SortCodeAccountNumber"),
        }
    }

    /// Returns the BIC of the other party's bank. `None`: its bank identifier is not a BIC.
    pub fn institution_bic(&self) -> Option<&str> {
        self.bank_identifier.as_deref().filter(|text| country_of(text).is_some())
    }
}
