//! Checkout sessions, in which payers pay merchants or top up budgets; their payments and refunds (contract 2.5 to
//! 2.7).
//!
//! A session is a state machine; [`SessionStatus::after`] is its transition table, and [`SessionState`] has the data of
//! each status. Decisions run under the lock of a session. A decision first applies everything that is due, and then
//! its own steps.

mod bank;
mod basket;
mod completion;
mod create;
mod decision;
mod draft;
mod filter;
mod listed_payment;
mod offered_rates;
mod payment;
mod payment_state;
mod payment_status;
mod progress;
#[cfg(test)]
mod properties;
mod purpose;
mod reference;
mod refund;
#[cfg(test)]
mod refund_properties;
mod refund_status;
mod session;
mod session_state;
mod shipping;
mod stage;
mod status;
mod steps;
mod top_up;
mod visit;

pub use bank::{BankAnswer, BankChoice, BankReport, BankReportResult, PayerOutcome, PaymentFailure};
pub use basket::{Basket, BasketItem, Quantity};
pub use create::{
    CreateSessionRefusal, CreateSessionSituation, CreatedSession, MERCHANT_AMOUNTS, SessionRequest, SessionTarget,
    check_merchant_amount, decide_create_session,
};
pub use decision::{BudgetCredit, SessionDecision, SessionRefusal, SessionSituation};
pub use draft::{SessionDraft, SessionTerms};
pub use filter::{DueItem, MerchantPaymentFilter, PaymentSort, PaymentsSummary, SessionFilter};
pub use listed_payment::{ListedPayment, ListedRefund};
pub use offered_rates::{OfferedRate, OfferedRates};
pub use payment::{MerchantPayment, PaymentOverview, RefundPart, Refundability, SessionOfPayment};
pub use payment_state::{MerchantPaymentParts, MerchantPaymentState};
pub use payment_status::{MerchantPaymentKind, MerchantPaymentStatus};
pub use progress::PaymentProgress;
pub use purpose::{PurposeKind, SessionPurpose};
pub use reference::PaymentReference;
pub use refund::{
    CreateRefundSituation, MAX_REFUND, RefundAction, RefundChange, RefundRefusal, RefundRequest, RefundSituation,
    decide_create_refund, decide_refund,
};
pub use refund_status::{RefundSource, RefundStatus};
pub use session::{CheckoutSession, PageTokenHash};
pub use session_state::{SessionParts, SessionState};
pub use shipping::{
    AddressLine, CountryCode, Postcode, RateDescription, RecipientName, ServiceCode, Shipping, ShippingRate,
};
pub use stage::SessionStage;
pub use status::{SessionStatus, SessionStep, StepEffect};
pub use steps::{PayerDecision, SessionAction, decide_session};
pub use top_up::{CreateTopUpRefusal, CreateTopUpSituation, TopUpRequest, decide_create_top_up};
pub use visit::BankVisit;
