//! The list of banks and the simulated bank.

use super::context::PageContext;
use crate::qr::{self, Code};
use crate::room::{escaped_length, fitting};
use crate::view;
use crate::view::{Approval, BankChoice, BankFormError};
use askama::Template;

#[derive(Template)]
#[template(path = "choose_bank.html")]
pub(super) struct ChooseBank<'a> {
    context: PageContext<'a>,
    view: &'a view::ChooseBank,
    /// The banks that fit on the page.
    banks: &'a [BankChoice],
    code: Option<Code>,
}

/// Size of a bank in the list without its id and name, in bytes.
pub(super) const BANK: usize = 210;

impl<'a> ChooseBank<'a> {
    pub(super) fn new(context: PageContext<'a>, view: &'a view::ChooseBank) -> Self {
        let size = |bank: &BankChoice| BANK + escaped_length(&bank.id) + escaped_length(&bank.name);
        let (shown, _) = fitting(view.banks.iter().map(size), context.room);
        let code = view.phone_url.as_deref().and_then(qr::encode);
        Self { context, view, banks: view.banks.get(..shown).unwrap_or_default(), code }
    }

    fn count(&self) -> String {
        let texts = &self.context.texts.banks;
        if self.banks.len() < self.view.matches {
            (texts.cut)(self.banks.len(), self.view.matches)
        } else {
            (texts.count)(self.view.matches)
        }
    }
}

#[derive(Template)]
#[template(path = "bank_link.html")]
pub(super) struct BankLink<'a> {
    context: PageContext<'a>,
    view: &'a view::BankLink,
    heading: &'static str,
}

impl<'a> BankLink<'a> {
    pub(super) fn new(context: PageContext<'a>, view: &'a view::BankLink) -> Self {
        Self { context, view, heading: heading(context, &view.approval) }
    }
}

/// Returns the heading for what is approved: a payment or a refund.
fn heading(context: PageContext<'_>, approval: &Approval) -> &'static str {
    match approval {
        Approval::Payment { .. } => context.texts.simulated.payment,
        Approval::Refund { .. } => context.texts.simulated.refund,
    }
}

#[derive(Template)]
#[template(path = "simulated_bank.html")]
pub(super) struct SimulatedBank<'a> {
    context: PageContext<'a>,
    view: &'a view::SimulatedBankPage,
    heading: &'static str,
    name_error: Option<String>,
    minutes_error: Option<&'static str>,
}

impl<'a> SimulatedBank<'a> {
    pub(super) fn new(context: PageContext<'a>, view: &'a view::SimulatedBankPage) -> Self {
        let texts = &context.texts.simulated;
        let heading = heading(context, &view.approval);
        let name_error = if view.errors.contains(&BankFormError::NameMissing) {
            Some(texts.name_missing.to_owned())
        } else if view.errors.contains(&BankFormError::NameTooLong) {
            Some((context.texts.common.too_long)(texts.name, view::SimulatedBankPage::MAX_NAME))
        } else {
            None
        };
        let minutes_error = view.errors.contains(&BankFormError::Minutes).then_some(texts.minutes_wrong);
        Self { context, view, heading, name_error, minutes_error }
    }

    /// Returns the outcomes: for each, the value, the text, and whether it is selected.
    fn outcomes(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let values = view::SimulatedBankPage::OUTCOMES;
        let selected = values.into_iter().position(|value| value == self.view.outcome).unwrap_or_default();
        let texts = values.into_iter().zip(self.context.texts.simulated.outcomes).enumerate();
        texts.map(move |(position, (value, text))| (value, text, position == selected))
    }
}
