//! The bodies of the operations on disputes.

use crate::declare::{PositiveNumber, body};
use florin_domain::card::{DisputeAction, DisputeOutcome, DisputeReason, EvidenceText};
use florin_domain::ids::TransactionToken;

body! {
    /// A new dispute.
    pub(crate) struct OpenDisputeBody as "OpenDisputeRequest" {
        /// The token of a settled purchase or debit: a clearing, a force post, a debit, or an authorization that was
        /// cleared.
        "transactionToken" => transaction: TransactionToken,
        /// Amount above zero, in the card's currency. Default: the whole amount that is not disputed yet.
        #[example(10.00)]
        "amount" => amount: Option<PositiveNumber>,
        /// Why the cardholder contests the transaction.
        "reason" => reason: DisputeReason,
    }
}

body! {
    /// Evidence for a dispute.
    pub(crate) struct EvidenceBody as "DisputeEvidenceRequest" {
        /// Text that supports the dispute. Florin stores it.
        #[example("The parcel never arrived.")]
        "text" => text: EvidenceText,
    }
}

body! {
    /// The network's decision about a dispute.
    pub(crate) struct ResolveBody as "ResolveDisputeRequest" {
        /// Who keeps the money: the cardholder (`WON`) or the merchant (`LOST`).
        "outcome" => outcome: DisputeOutcome,
    }
}

impl From<EvidenceBody> for DisputeAction {
    fn from(body: EvidenceBody) -> Self {
        Self::Evidence(body.text)
    }
}

impl From<ResolveBody> for DisputeAction {
    fn from(body: ResolveBody) -> Self {
        Self::Resolve(body.outcome)
    }
}
