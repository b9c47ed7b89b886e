//! Inbound credits (contract 5.2).

use super::Budget;
use crate::event::{BudgetEvent, Event, MovementSource, PaymentMethod};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, JournalId};
use crate::ledger::{AmountOutOfRange, Balances, JournalKind, JournalTransaction, Leg, Pool};
use crate::money::{Currency, DecimalAmount, Minor};
use crate::stamp::Stamp;
use crate::text::Text;
use chrono::{DateTime, Utc};

/// The scheme of an inbound payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CreditScheme {
    /// UK Faster Payments.
    FasterPayment,
    /// UK Bacs.
    Bacs,
    /// UK CHAPS.
    Chaps,
    /// Swift.
    Swift,
    /// The Single Euro Payments Area.
    Sepa,
}

impl CreditScheme {
    /// All schemes.
    pub const ALL: [Self; 5] = [Self::FasterPayment, Self::Bacs, Self::Chaps, Self::Swift, Self::Sepa];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FasterPayment => "FasterPayment",
            Self::Bacs => "BACS",
            Self::Chaps => "CHAPS",
            Self::Swift => "Swift",
            Self::Sepa => "SEPA",
        }
    }
}

impl From<CreditScheme> for PaymentMethod {
    fn from(scheme: CreditScheme) -> Self {
        match scheme {
            CreditScheme::FasterPayment => Self::FasterPayments,
            CreditScheme::Bacs => Self::Bacs,
            CreditScheme::Chaps => Self::Chaps,
            CreditScheme::Swift => Self::Swift,
            CreditScheme::Sepa => Self::Sepa,
        }
    }
}

/// A request to credit a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditInstruction {
    /// The budget to credit.
    pub budget: BudgetId,
    /// The amount, above zero.
    pub amount: DecimalAmount,
    /// The currency.
    pub currency: Currency,
    /// The sender's name.
    pub remitters_name: Text<1, 140>,
    /// The sender's address.
    pub remitters_address: Text<1, 140>,
    /// The beneficiary's name.
    pub beneficiary_name: Text<1, 140>,
    /// The scheme through which it arrived.
    pub scheme: CreditScheme,
    /// The sender's reference.
    pub reference: Option<Text<0, 140>>,
    /// The identifier of the sending bank.
    pub bank_identifier: Option<Text<0, 140>>,
    /// The identifier of the sending bank account.
    pub account_identifier: Option<Text<0, 140>>,
    /// The order it belongs to, in the caller's words.
    pub order_id: Option<Text<0, 140>>,
    /// A third party's reference.
    pub third_party_reference: Option<Text<0, 140>>,
    /// The name of the sending bank.
    pub institution_name: Option<Text<0, 140>>,
    /// The address of the sending bank.
    pub institution_address: Option<Text<0, 140>>,
}

/// An accepted credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Its number in the account's sequence, from 1.
    pub box_transaction_id: i64,
    /// The account.
    pub account: AccountId,
    /// The amount in minor units.
    pub amount: Minor,
    /// The request.
    pub instruction: CreditInstruction,
    /// The budget's balances in that currency after the credit.
    pub balances: Balances,
    /// When it was accepted.
    pub created_at: DateTime<Utc>,
}

/// The situation for a credit. An adapter loads it under the lock of the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditSituation {
    /// The budget.
    pub budget: Budget,
    /// The number of this credit: the next free number of the account's sequence, from 1.
    pub number: i64,
}

/// The result of a credit. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditDecision {
    /// The credit.
    pub credit: Credit,
    /// Its journal transaction.
    pub journal: JournalTransaction,
    /// The events to write.
    pub events: Vec<Event>,
}

/// Reasons to refuse a credit. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreditRefusal {
    /// The amount or the currency does not fit the budget. Paths refer to the request's body.
    #[error("the credit does not fit the budget")]
    Faults(Vec<Fault>),
    /// A balance would leave its range.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

/// Decides a credit to a locked budget. `box_transaction_id` is the account's next free number.
///
/// ```
/// use florin_domain::budget::decide_credit;
/// use florin_domain::test_support::{a_budget, a_credit, a_stamp, minor};
///
/// let budget = a_budget().with("5.00 GBP").build().budget;
/// let decision = decide_credit(&budget, 1, &a_credit("200.00 GBP"), &a_stamp()).unwrap();
/// assert_eq!(decision.credit.balances.available(), minor("205.00 GBP"));
/// ```
pub fn decide_credit(
    budget: &Budget,
    box_transaction_id: i64,
    instruction: &CreditInstruction,
    stamp: &Stamp<'_>,
) -> Result<CreditDecision, CreditRefusal> {
    let currency = instruction.currency;
    let mut faults = Vec::new();
    let amount = instruction.amount.to_minor(currency);
    if let Err(flaw) = &amount {
        faults.push(flaw.clone().at("body.settlementPriceAmount"));
    }
    let balances = budget.in_currency(currency);
    if balances.is_none() {
        faults.push(
            Flaw::value(format!("must be a currency that the budget holds (got {currency})"))
                .at("body.settlementPriceCurrency"),
        );
    }
    let (Ok(amount), Some(balances)) = (amount, balances) else {
        return Err(CreditRefusal::Faults(faults));
    };
    let leg = Leg::new(Pool::InboundPayments, Pool::Available(budget.id), amount)?;
    let id = JournalId(stamp.id());
    let cause = (JournalKind::Credit, id.0);
    let journal = JournalTransaction::new(id, budget.account.clone(), cause, currency, stamp.now, leg)?;
    let balances = balances.after(budget.id, journal.legs())?;
    let credit = Credit {
        box_transaction_id,
        account: budget.account.clone(),
        amount,
        instruction: instruction.clone(),
        balances,
        created_at: stamp.now,
    };
    let movement = movement(&credit, budget.name.clone());
    let events = vec![movement.credited(budget.account.clone(), stamp.now)];
    Ok(CreditDecision { credit, journal, events })
}

/// Returns the movement that the event of a credit reports.
fn movement(credit: &Credit, budget_name: String) -> BudgetEvent {
    let sent = &credit.instruction;
    let text = |text: &Option<Text<0, 140>>| text.as_ref().map(|text| text.as_str().to_owned());
    BudgetEvent {
        number: credit.box_transaction_id,
        budget: sent.budget,
        budget_name,
        amount: credit.amount,
        currency: sent.currency,
        ledger_balance: credit.balances.ledger(),
        source: MovementSource::Deposits,
        method: sent.scheme.into(),
        order: text(&sent.order_id),
        reference: text(&sent.reference),
        bank_identifier: text(&sent.bank_identifier),
        institution_address: text(&sent.institution_address),
        identification: text(&sent.account_identifier),
        remitters_name: Some(sent.remitters_name.as_str().to_owned()),
        remitters_address: Some(sent.remitters_address.as_str().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::{a_budget, a_credit, a_stamp, currency};

    fn credit(available: i64, amount: &str) -> Result<CreditDecision, CreditRefusal> {
        let balances = Balances::new(Minor(available), Minor(0), Minor(0)).unwrap();
        let mut budget = a_budget().build().budget;
        budget.balances.push((currency("GBP"), balances));
        decide_credit(&budget, 1, &a_credit(amount), &a_stamp())
    }

    #[test]
    fn a_credit_raises_the_available_and_the_ledger_balance() {
        let decision = credit(5, "200.00 GBP").unwrap();
        assert_eq!(decision.credit.balances.available(), Minor(20_005));
        assert_eq!(decision.credit.balances.ledger(), Minor(20_005));
        assert_eq!(decision.journal.legs().len(), 1);
    }

    #[test]
    fn every_refusal_names_its_cause() {
        let Err(CreditRefusal::Faults(faults)) = credit(0, "1.001 EUR") else { panic!("refused with faults") };
        let seen: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.flaw.code)).collect();
        assert_eq!(
            seen,
            [
                ("body.settlementPriceAmount", FlawCode::TooManyDecimals),
                ("body.settlementPriceCurrency", FlawCode::InvalidValue)
            ]
        );
        assert_eq!(credit(i64::MAX, "0.01 GBP"), Err(CreditRefusal::AmountOutOfRange(AmountOutOfRange::Overflow)));
    }
}
