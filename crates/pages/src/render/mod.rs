//! Renders pages. Each page has a template, which is filled from the page's view.

mod bank;
mod context;
mod end;
#[cfg(test)]
mod size_tests;
mod summary;

use crate::room::reduced_room;
use crate::view::{Frame, Page};
use askama::Template;
use context::PageContext;

/// Renders a page as a complete HTML document.
///
/// Every value is escaped. Control characters, and characters that change the writing direction of other text, are
/// removed. If the page would have 30,000 bytes or more, its lists are shortened, down to nothing.
pub fn render(frame: &Frame, page: &Page) -> String {
    let mut context = PageContext::new(frame);
    loop {
        let html = without_controls(filled(context, page));
        match reduced_room(context.room, html.len()) {
            Some(room) => context.room = room,
            None => return html,
        }
    }
}

/// Fills the template of a page.
fn filled(context: PageContext<'_>, page: &Page) -> String {
    let html = match page {
        Page::Summary(view) => summary::Summary::new(context, view).render(),
        Page::ChooseBank(view) => bank::ChooseBank::new(context, view).render(),
        Page::BankLink(view) => bank::BankLink::new(context, view).render(),
        Page::SimulatedBank(view) => bank::SimulatedBank::new(context, view).render(),
        Page::Waiting(view) => end::Waiting { context, view }.render(),
        Page::Receipt(view) => end::Receipt { context, view }.render(),
        Page::Failed(view) => end::Failed { context, view }.render(),
        Page::Ended(view) => end::Ended::new(context, view).render(),
        Page::RefundResult(view) => end::RefundResult { context, view }.render(),
        Page::Problem(view) => end::Problem { context, view, message: (context.texts.problem)(view.kind) }.render(),
    };
    // Writing to a string can't fail.
    html.unwrap_or_default()
}

/// Removes characters that could garble a page: control characters other than line breaks, and characters that change
/// the writing direction.
fn without_controls(html: String) -> String {
    let is_unwanted = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if html.contains(is_unwanted) { html.replace(is_unwanted, "") } else { html }
}
