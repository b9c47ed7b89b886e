//! The table of texts. Each language fills it once.

use crate::view::{FailureReason, ProblemKind};

/// All texts of one language.
pub(crate) struct Texts {
    pub(crate) common: Common,
    pub(crate) order: OrderTexts,
    pub(crate) summary: SummaryTexts,
    pub(crate) address: AddressTexts,
    pub(crate) rates: RateTexts,
    pub(crate) banks: BankTexts,
    pub(crate) simulated: SimulatedTexts,
    pub(crate) waiting: WaitingTexts,
    pub(crate) receipt: ReceiptTexts,
    pub(crate) failed: FailedTexts,
    pub(crate) ended: EndedTexts,
    pub(crate) refund: RefundTexts,
    pub(crate) problem: fn(ProblemKind) -> Headed,
    pub(crate) back: &'static str,
    pub(crate) months: [&'static str; 12],
    /// Joins a day (`23 November 2026`) and a time (`14:05 UTC`) into one text.
    pub(crate) day_and_time: fn(&str, &str) -> String,
}

/// A heading with a short text below it.
pub(crate) struct Headed {
    pub(crate) heading: &'static str,
    pub(crate) text: &'static str,
}

/// Texts that several pages use.
pub(crate) struct Common {
    pub(crate) sandbox: &'static str,
    /// The text before the name Florin.
    pub(crate) service: &'static str,
    pub(crate) return_policy: &'static str,
    pub(crate) cancel: &'static str,
    /// The text before the merchant's name.
    pub(crate) return_to: &'static str,
    pub(crate) return_to_shop: &'static str,
    pub(crate) error: &'static str,
    pub(crate) errors: &'static str,
    pub(crate) optional: &'static str,
    pub(crate) time_limit: fn(&str) -> String,
    /// The arguments are the label of a field and its maximum number of characters.
    pub(crate) too_long: fn(&str, usize) -> String,
}

/// Texts of the order: what the payer pays for.
pub(crate) struct OrderTexts {
    pub(crate) heading: &'static str,
    pub(crate) amount: &'static str,
    pub(crate) amount_paid: &'static str,
    pub(crate) total: &'static str,
    pub(crate) pay_to: &'static str,
    pub(crate) paid_to: &'static str,
    pub(crate) description: &'static str,
    pub(crate) reference: &'static str,
    pub(crate) payment_reference: &'static str,
    pub(crate) bank: &'static str,
    pub(crate) basket: &'static str,
    pub(crate) item: &'static str,
    pub(crate) sku: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) unit_price: &'static str,
    pub(crate) delivery: &'static str,
    pub(crate) deliver_to: &'static str,
    pub(crate) free: &'static str,
    /// The line for items that the page does not list. The argument is their number.
    pub(crate) more: fn(usize) -> String,
}

/// Texts of the summary.
pub(crate) struct SummaryTexts {
    pub(crate) heading: &'static str,
    pub(crate) heading_top_up: &'static str,
    pub(crate) next: &'static str,
    pub(crate) safe: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) change_address: &'static str,
    pub(crate) change_rate: &'static str,
}

/// Texts of the address form. Labels and errors are in the order of `AddressField::ALL`.
pub(crate) struct AddressTexts {
    pub(crate) heading: &'static str,
    pub(crate) labels: [&'static str; 7],
    pub(crate) missing: [&'static str; 7],
    pub(crate) invalid: [&'static str; 7],
    pub(crate) find: &'static str,
    pub(crate) found: &'static str,
    /// The line that says that the list is cut. The arguments are the numbers of listed and of all addresses.
    pub(crate) cut: fn(usize, usize) -> String,
    pub(crate) choose_found: &'static str,
    pub(crate) not_found: &'static str,
    pub(crate) unavailable: &'static str,
    pub(crate) submit: &'static str,
}

/// Texts of the choice of a shipping rate.
pub(crate) struct RateTexts {
    pub(crate) heading: &'static str,
    pub(crate) hint: &'static str,
    /// The line that says that the list is cut. The arguments are the numbers of listed and of all rates.
    pub(crate) cut: fn(usize, usize) -> String,
    pub(crate) submit: &'static str,
    pub(crate) missing: &'static str,
    pub(crate) unavailable: Headed,
    pub(crate) retry: &'static str,
}

/// Texts of the list of banks.
pub(crate) struct BankTexts {
    pub(crate) heading: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) search: &'static str,
    pub(crate) search_button: &'static str,
    pub(crate) all: &'static str,
    pub(crate) count: fn(usize) -> String,
    /// The line that says that the list is cut. The arguments are the numbers of listed and of all banks.
    pub(crate) cut: fn(usize, usize) -> String,
    pub(crate) none: &'static str,
    pub(crate) list: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) missing: &'static str,
    pub(crate) phone: Headed,
    pub(crate) code: &'static str,
    /// The link to a bank: the text of the button, and what happens there.
    pub(crate) link: Headed,
}

/// Texts of the simulated bank.
pub(crate) struct SimulatedTexts {
    pub(crate) notice: Headed,
    pub(crate) payment: &'static str,
    pub(crate) refund: &'static str,
    pub(crate) name: &'static str,
    pub(crate) name_hint: &'static str,
    pub(crate) names_summary: &'static str,
    /// The names that select an outcome, each with a description of the outcome.
    pub(crate) names: [(&'static str, &'static str); 6],
    pub(crate) outcome: &'static str,
    /// The texts of the outcomes, in the order of [`crate::view::SimulatedBankPage::OUTCOMES`].
    pub(crate) outcomes: [&'static str; 5],
    pub(crate) minutes: &'static str,
    pub(crate) minutes_hint: &'static str,
    pub(crate) approve: &'static str,
    pub(crate) reject: &'static str,
    pub(crate) leave: &'static str,
    pub(crate) name_missing: &'static str,
    pub(crate) minutes_wrong: &'static str,
}

/// Texts of the page that waits for the bank.
pub(crate) struct WaitingTexts {
    pub(crate) page: Headed,
    pub(crate) advice: &'static str,
    pub(crate) close: &'static str,
    pub(crate) again: &'static str,
}

/// Texts of the receipt.
pub(crate) struct ReceiptTexts {
    pub(crate) paid: Headed,
    pub(crate) topped_up: Headed,
    pub(crate) repeated: Headed,
    pub(crate) date: &'static str,
    pub(crate) keep: &'static str,
}

/// Texts of a failed payment.
pub(crate) struct FailedTexts {
    pub(crate) heading: &'static str,
    pub(crate) reason: fn(FailureReason) -> &'static str,
    pub(crate) no_money: &'static str,
    pub(crate) again: &'static str,
}

/// Texts of a session that ended without a payment.
pub(crate) struct EndedTexts {
    pub(crate) cancelled: Headed,
    pub(crate) expired: Headed,
    pub(crate) start_again: &'static str,
}

/// Texts of refunds.
pub(crate) struct RefundTexts {
    pub(crate) amount: &'static str,
    pub(crate) payment: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) authorised: Headed,
    pub(crate) cancelled: Headed,
    pub(crate) close: &'static str,
}
