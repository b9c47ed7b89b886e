//! Maps errors of checkout sessions, payments and refunds to responses.

use super::merchants::not_enabled;
use super::range::out_of_range;
use crate::codes::ErrorCode;
use crate::load;
use crate::problem::Problem;
use florin_application::{NoPayerBanks, NoSimulatedBank};
use florin_domain::checkout::{CreateSessionRefusal, CreateTopUpRefusal, RefundRefusal, SessionRefusal};
use florin_domain::fault::Flaw;
use florin_domain::money::Money;
use florin_ports::BankUnavailable;

const CHECKOUT: &str = "body.checkoutId";
const PAYEE: &str = "body.payeeId";
const CURRENCY: &str = "body.amount.currencyCode";

impl From<NoPayerBanks> for Problem {
    fn from(error: NoPayerBanks) -> Self {
        not_enabled(error.to_string())
    }
}

impl From<NoSimulatedBank> for Problem {
    fn from(error: NoSimulatedBank) -> Self {
        not_enabled(error.to_string())
    }
}

impl From<BankUnavailable> for Problem {
    fn from(error: BankUnavailable) -> Self {
        tracing::warn!(%error, "a bank of payers failed");
        let message = "the bank is unavailable; retry after the interval in Retry-After";
        Self::unavailable(ErrorCode::ProviderUnavailable, message).retry_after(5)
    }
}

/// Maps the refusal of a new session.
pub(crate) fn create_session_problem(refusal: &CreateSessionRefusal) -> Problem {
    let fault = |path: &str, flaw: Flaw| Problem::faults(vec![flaw.at(path)]);
    match refusal {
        CreateSessionRefusal::NoCheckout => Problem::absent(CHECKOUT, "checkout"),
        CreateSessionRefusal::Deactivated => {
            invalid_state(CHECKOUT, "accepts no sessions: the checkout is DEACTIVATED")
        }
        CreateSessionRefusal::OtherType(kind) => {
            fault("body.type", Flaw::value(format!("must be {}, the type of the checkout", kind.as_str())))
        }
        CreateSessionRefusal::OtherCurrency(currency) => {
            fault(CURRENCY, Flaw::value(format!("must be {currency}, the currency of the checkout")))
        }
        CreateSessionRefusal::NoSettlementAccount => {
            invalid_state(CHECKOUT, "has no APPROVED settlement account to pay into")
        }
        CreateSessionRefusal::NoPayee => Problem::absent(PAYEE, "payee"),
        CreateSessionRefusal::PayeeNotApproved(status) => {
            fault(PAYEE, Flaw::value(format!("must name an APPROVED payee (it is {})", status.as_str())))
        }
        CreateSessionRefusal::PayeeOfOtherCurrency => {
            fault(PAYEE, Flaw::value("must name a payee of the checkout's currency"))
        }
        CreateSessionRefusal::OtherSum(sum) => fault(
            "body.amount",
            Flaw::value(format!("must be {}, the sum of the basket and the shipping", formatted(*sum))),
        ),
        CreateSessionRefusal::SumTooLarge => {
            fault("body.amount", Flaw::range("must be the sum of the basket and the shipping, which is too large"))
        }
        CreateSessionRefusal::NothingBesidesShipping => fault(
            "body.shipping.rate.amount",
            Flaw::value("must be below the amount: payers of the checkout choose the rate, so it can change"),
        ),
        CreateSessionRefusal::NoReference => load::overloaded(),
    }
}

/// Maps the refusal of a new top-up.
pub(crate) fn create_top_up_problem(refusal: CreateTopUpRefusal) -> Problem {
    match refusal {
        CreateTopUpRefusal::NoBudget => Problem::absent("body.budgetId", "budget"),
        CreateTopUpRefusal::NoBalance => {
            Problem::faults(vec![Flaw::value("must be a currency that the budget holds").at(CURRENCY)])
        }
        CreateTopUpRefusal::NoReference => load::overloaded(),
    }
}

/// Maps the refusal of an action on the session that `path` names.
pub(crate) fn session_problem(path: &str, refusal: &SessionRefusal) -> Problem {
    const SHIPPING: &str = "body.shipping";
    match refusal {
        SessionRefusal::NotOpen(status) => invalid_state(path, format!("must be OPEN (it is {})", status.as_str())),
        SessionRefusal::ShippingRequired => Problem::faults(vec![Flaw::required().at(SHIPPING)]),
        SessionRefusal::ShippingNotCollected => {
            Problem::faults(vec![Flaw::value("must not be sent: the session collects no address").at(SHIPPING)])
        }
        SessionRefusal::RateRequired => Problem::faults(vec![Flaw::required().at("body.shipping.rate")]),
        SessionRefusal::AboveMaximum => {
            let flaw = Flaw::range("must not make the amount of the session larger than 1000000.00");
            Problem::faults(vec![flaw.at("body.shipping.rate.amount")])
        }
        SessionRefusal::NoBudget => invalid_state(path, "cannot be completed: its budget does not hold the currency"),
        SessionRefusal::AmountOutOfRange(error) => out_of_range(*error, path),
    }
}

/// Maps the refusal of a new refund.
pub(crate) fn create_refund_problem(refusal: RefundRefusal) -> Problem {
    const PAYMENT: &str = "path.paymentId";
    let amount = |message: String| invalid_state("body.amount", message);
    match refusal {
        RefundRefusal::NotRefundable => invalid_state(PAYMENT, "must be a COMPLETED payment of a SHOPPING session"),
        RefundRefusal::SettlementAccountDeleted => {
            invalid_state(PAYMENT, "cannot be refunded: its settlement account was deleted")
        }
        RefundRefusal::NoBank => invalid_state(PAYMENT, "cannot be refunded: its settlement account has no bank"),
        RefundRefusal::BankWithoutRefunds => {
            invalid_state(PAYMENT, "cannot be refunded: the bank of its settlement account pays no refunds")
        }
        RefundRefusal::OtherCurrency => {
            Problem::faults(vec![Flaw::value("must be the currency of the payment").at(CURRENCY)])
        }
        RefundRefusal::AboveMaximum(maximum) => {
            amount(format!("is above the maximum of a refund, {}", formatted(maximum)))
        }
        RefundRefusal::AboveRemainder(left) => {
            amount(format!("is above what is left of the payment, {}", formatted(left)))
        }
        other => authorise_refund_problem(other),
    }
}

/// Maps the refusal of a decision on a refund.
pub(crate) fn authorise_refund_problem(refusal: RefundRefusal) -> Problem {
    const REFUND: &str = "path.refundId";
    match refusal {
        RefundRefusal::NotAwaiting(status) => {
            invalid_state(REFUND, format!("must be AWAITING_AUTHORISATION (it is {})", status.as_str()))
        }
        RefundRefusal::AmountOutOfRange(error) => out_of_range(error, REFUND),
        other => Problem::bug(&other),
    }
}

/// Formats an amount with its currency, for messages.
fn formatted(money: Money) -> String {
    format!("{money} {}", money.currency)
}

fn invalid_state(path: &str, message: impl Into<String>) -> Problem {
    Problem::conflict(path, ErrorCode::InvalidState, message)
}
