//! The form of the simulated bank, and the decision that it contains.

use super::answer::invalid_form;
use super::form::{Button, SentForm};
use crate::problem::Problem;
use crate::state::App;
use florin_domain::access::Account;
use florin_domain::checkout::{BankVisit, PayerDecision, PayerOutcome};
use florin_pages::{Approval, BankFormError, Form, SimulatedBankPage};

/// Returns the form of the bank with its initial values.
pub(super) fn empty_form(form: Form, bank_name: String, approval: Approval) -> SimulatedBankPage {
    SimulatedBankPage {
        form,
        bank_name,
        approval,
        name: String::new(),
        outcome: PayerOutcome::Approve.as_str().to_owned(),
        after_minutes: "1".to_owned(),
        errors: Vec::new(),
    }
}

/// Returns the form with the values that were entered, and their errors.
pub(super) fn with_errors(empty: SimulatedBankPage, form: &SentForm, errors: Vec<BankFormError>) -> SimulatedBankPage {
    SimulatedBankPage {
        name: form.get("name").to_owned(),
        outcome: form.get("outcome").to_owned(),
        after_minutes: form.get("afterMinutes").to_owned(),
        errors,
        ..empty
    }
}

/// Reads the decision from a form. The inner error is shown in the form. The outer error is for a form that Florin did
/// not create.
pub(super) fn read(form: &SentForm, button: Button) -> Result<Result<BankVisit, Vec<BankFormError>>, Problem> {
    let outcomes = PayerOutcome::ALL.into_iter();
    let is_offered = |outcome: &PayerOutcome| *outcome == PayerOutcome::Approve || outcome.delayed().is_some();
    let selected = match form.get("outcome") {
        "" => PayerOutcome::Approve,
        sent => outcomes
            .clone()
            .filter(is_offered)
            .find(|outcome| outcome.as_str() == sent)
            .ok_or_else(|| invalid_form("must have an outcome of the form"))?,
    };
    let pressed = match button {
        Button::Approve => selected,
        Button::Reject => PayerOutcome::Reject,
        Button::Leave => PayerOutcome::Leave,
        _ => return Err(invalid_form("must have an action of the bank")),
    };
    let name = form.get("name");
    // For automated tests: some names select an outcome, no matter which button was pressed.
    let outcome = outcomes.into_iter().find(|outcome| outcome.as_str() == name).unwrap_or(pressed);
    let mut errors = Vec::new();
    if name.is_empty() && outcome != PayerOutcome::Leave {
        errors.push(BankFormError::NameMissing);
    }
    if name.chars().count() > SimulatedBankPage::MAX_NAME {
        errors.push(BankFormError::NameTooLong);
    }
    let minutes = match form.get("afterMinutes") {
        sent if sent.is_empty() || outcome.delayed().is_none() => Ok(None),
        sent if sent.bytes().all(|byte| byte.is_ascii_digit()) => sent.parse::<i64>().map(Some).map_err(drop),
        _ => Err(()),
    };
    let visit = minutes.and_then(|minutes| BankVisit::new(outcome, minutes).map_err(drop));
    if visit.is_err() {
        errors.push(BankFormError::Minutes);
    }
    Ok(visit.ok().filter(|_| errors.is_empty()).ok_or(errors))
}

/// Returns the decision that results from a visit to the simulated bank, by the account's clock.
pub(super) fn decision(app: &App, account: &Account, visit: BankVisit) -> Result<PayerDecision, Problem> {
    let bank = app.checkouts.simulated_bank().map_err(|_| invalid_form("must have an action of the page"))?;
    Ok(bank.visit(visit, app.checkouts.time.now_of(account)))
}
