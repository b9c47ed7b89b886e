//! Amount, currency and the budget that pays.

use super::findings::{Findings, given, shown};
use super::{FundingBudgets, PaymentInput};
use crate::batch::AlertCode;
use crate::fault::{Flaw, FlawCode};
use crate::ids::BudgetId;
use crate::money::{Currency, DecimalAmount, Minor};

pub(super) fn currency(input: &PaymentInput, findings: &mut Findings<'_>) -> Option<Currency> {
    let Some(code) = given(input.currency_code.as_ref()) else {
        findings.say(AlertCode::CurrencyRequired, "Give the currency as an ISO 4217 code, such as GBP.");
        return None;
    };
    let currency = Currency::parse(code).ok();
    if currency.is_none() {
        let message =
            format!("\"{}\" is not a currency that can be paid. Use an ISO 4217 code, such as GBP.", shown(code));
        findings.say(AlertCode::CurrencyUnknown, message);
    }
    currency
}

pub(super) fn amount(input: &PaymentInput, currency: Option<Currency>, findings: &mut Findings<'_>) -> Option<Minor> {
    let Some(text) = given(input.amount.as_ref()) else {
        findings.say(AlertCode::AmountRequired, "Give the amount as a decimal, such as 10.00.");
        return None;
    };
    let read = DecimalAmount::from_decimal_string(text).and_then(DecimalAmount::positive);
    // Without a currency nobody knows how fine an amount may be; the rest is told all the same.
    let minor = read.and_then(|amount| currency.map(|currency| amount.to_minor(currency)).transpose());
    match minor {
        Ok(minor) => minor,
        Err(flaw) => {
            let (code, message) = told(&flaw, text);
            findings.say(code, message);
            None
        }
    }
}

fn told(flaw: &Flaw, text: &str) -> (AlertCode, String) {
    let text = shown(text);
    match flaw.code {
        FlawCode::TooManyDecimals => {
            (AlertCode::AmountTooPrecise, format!("\"{text}\" is too fine: {} Nothing is rounded.", flaw.message))
        }
        FlawCode::OutOfRange => {
            let max = DecimalAmount::MAX;
            (AlertCode::AmountOutOfRange, format!("\"{text}\" is out of range: give more than 0, at most {max}."))
        }
        _ => {
            let message =
                format!("\"{text}\" is not a decimal such as 10.00: digits, and a point before up to four more.");
            (AlertCode::AmountInvalid, message)
        }
    }
}

pub(super) fn budget(
    input: &PaymentInput,
    currency: Option<Currency>,
    (default, funding): (Option<BudgetId>, &FundingBudgets),
    findings: &mut Findings<'_>,
) -> Option<BudgetId> {
    let budget = match (given(input.funding_budget_id.as_ref()), default) {
        (Some(text), _) => {
            let Ok(budget) = BudgetId::parse(text) else {
                let message = format!("\"{}\" is not the id of a budget: a UUID is wanted.", shown(text));
                findings.say(AlertCode::FundingBudgetInvalid, message);
                return None;
            };
            budget
        }
        (None, Some(default)) => default,
        (None, None) => {
            let message = "Name the budget that pays, here or as the default of the upload.";
            findings.say(AlertCode::FundingBudgetRequired, message);
            return None;
        }
    };
    let Some(currencies) = funding.get(&budget) else {
        findings.say(AlertCode::FundingBudgetNotFound, format!("The account has no budget {budget}."));
        return None;
    };
    if let Some(missing) = currency.filter(|currency| !currencies.contains(currency)) {
        let message = format!("The budget {budget} does not hold {missing}. Pay from one that does.");
        findings.say(AlertCode::FundingBudgetCurrency, message);
        return None;
    }
    Some(budget)
}
