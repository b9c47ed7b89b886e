//! Payment batches (contract 3): their data, the checks of their payments, and every decision on them.

mod alert;
mod cancel;
mod check;
mod confirm;
mod confirmable;
mod create;
#[cfg(test)]
mod decisions_tests;
mod edit;
mod failure;
mod filter;
mod input;
#[cfg(test)]
mod input_tests;
mod instruction;
mod network;
mod payment;
mod payment_batch;
mod payment_state;
mod payment_status;
mod payment_terms;
#[cfg(test)]
mod properties;
mod settle;
mod start;
mod state;
mod status;
#[cfg(test)]
mod testing;
mod upload;

pub use alert::{Alert, AlertCode, AlertKind};
pub use cancel::{CancelDecision, CancelRefusal, CancelSituation, decide_cancel};
pub use check::{
    CheckBasis, CheckedRows, FieldCount, FundingBudgets, ModulusTable, ModulusTableError, PaymentRow, Separator,
    check_rows, max_text_length,
};
pub(crate) use check::{compact, country_of};
pub use confirm::{ConfirmDecision, ConfirmRefusal, ConfirmSituation, ConfirmedBatch, MfaProof, decide_confirm};
pub use confirmable::{BatchBalances, Confirmability, Shortage, check_confirmable};
pub use create::{BatchName, CreateDecision, CreateRequest, decide_create};
pub use edit::{BatchEdit, decide_edit};
pub use failure::FailureReason;
pub use filter::{AlertFilter, BatchFilter, Direction, PaymentFilter};
pub use input::{BankAddressInput, EmailInput, PaymentInput, PostalAddressInput, RecipientInput};
pub use instruction::{PaymentInstruction, PaymentOutcome, PaymentReport};
pub use network::PaymentNetwork;
pub use payment::{BulkStatus, Payment};
pub use payment_batch::{BatchContent, BatchInput, BatchSummary, InputFormat, InputStatus, PaymentBatch, PaymentOrder};
pub use payment_state::{PaymentParts, PaymentState, StartedTerms};
pub use payment_status::PaymentStatus;
pub use payment_terms::PaymentTerms;
pub use settle::{Reported, SettleDecision, SettleRefusal, SettleSituation, decide_settle};
pub use start::{StartDecision, StartPaymentsDecision, StartPaymentsSituation, decide_start, decide_start_payments};
pub use state::{BatchState, BatchTransition, Confirmation, Processing};
pub use status::{IllegalBatchTransition, PaymentBatchStatus};
pub use upload::{UploadDecision, UploadRefusal, UploadRequest, UploadSituation, decide_upload};
