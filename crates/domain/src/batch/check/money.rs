//! Checks of the amount, the currency and the budget that pays.

use super::findings::{Findings, given, shown};
use super::{FundingBudgets, PaymentInput};
use crate::batch::AlertCode;
use crate::fault::{Flaw, FlawCode};
use crate::ids::BudgetId;
use crate::money::{Currency, DecimalAmount, Minor};

pub(super) fn currency(input: &PaymentInput, findings: &mut Findings<'_>) -> Option<Currency> {
    let Some(code) = given(input.currency_code.as_ref()) else {
        findings.add(AlertCode::CurrencyRequired, "currencyCode is required");
        return None;
    };
    let currency = Currency::parse(code).ok();
    if currency.is_none() {
        let message =
            format!("currencyCode must be an ISO 4217 currency in use, such as GBP (got \"{}\")", shown(code));
        findings.add(AlertCode::CurrencyUnknown, message);
    }
    currency
}

pub(super) fn amount(input: &PaymentInput, currency: Option<Currency>, findings: &mut Findings<'_>) -> Option<Minor> {
    let Some(text) = given(input.amount.as_ref()) else {
        findings.add(AlertCode::AmountRequired, "amount is required");
        return None;
    };
    let read = DecimalAmount::from_decimal_string(text).and_then(DecimalAmount::positive);
    // Without a currency, everything except the number of decimals is checked.
    let minor = read.and_then(|amount| currency.map(|currency| amount.to_minor(currency)).transpose());
    match minor {
        Ok(minor) => minor,
        Err(flaw) => {
            let (code, message) = alert_for(&flaw, text);
            findings.add(code, message);
            None
        }
    }
}

fn alert_for(flaw: &Flaw, text: &str) -> (AlertCode, String) {
    let text = shown(text);
    match flaw.code {
        FlawCode::TooManyDecimals => (AlertCode::AmountTooPrecise, format!("amount {} (got \"{text}\")", flaw.message)),
        FlawCode::OutOfRange => {
            let max = DecimalAmount::MAX;
            (AlertCode::AmountOutOfRange, format!("amount must be greater than 0 and at most {max} (got \"{text}\")"))
        }
        _ => {
            let message = format!("amount must be a decimal such as 10.00, with at most 4 decimals (got \"{text}\")");
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
                let message = format!("fundingBudgetId must be a UUID (got \"{}\")", shown(text));
                findings.add(AlertCode::FundingBudgetInvalid, message);
                return None;
            };
            budget
        }
        (None, Some(default)) => default,
        (None, None) => {
            let message = "fundingBudgetId is required, either in the row or as the upload's default";
            findings.add(AlertCode::FundingBudgetRequired, message);
            return None;
        }
    };
    let Some(currencies) = funding.get(&budget) else {
        findings.add(
            AlertCode::FundingBudgetNotFound,
            format!("fundingBudgetId must be a budget of the account (got {budget})"),
        );
        return None;
    };
    if let Some(missing) = currency.filter(|currency| !currencies.contains(currency)) {
        let message = format!("fundingBudgetId must be a budget that holds {missing} (got {budget})");
        findings.add(AlertCode::FundingBudgetCurrency, message);
        return None;
    }
    Some(budget)
}
