//! Details that only some messages have, as JSON.

use super::body::errors::Outcome;
use super::body::json_values;
use super::body::names::{Name, read_name};
use super::body::types::Id;
use super::decisions::StoredDecision;
use florin_domain::card::{
    CardTransaction, DisputeLink, EntryMode, Match, MessageDetails, MultiClearing, PointOfSale, ThreeDSecure,
    Verification, WalletToken, WalletTokenState,
};
use florin_domain::ids::{DisputeId, TransactionToken};
use florin_domain::money::Minor;
use serde::{Deserialize, Serialize};

/// The stored form. Absent members are left out, and members of a newer version are ignored.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// The fee of an ATM's acquirer, in minor units.
    #[serde(skip_serializing_if = "Option::is_none")]
    acquirer_fee: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cash_back: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pos: Option<StoredPos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    three_d_secure: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wallet_token: Option<StoredToken>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<StoredVerification>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearing_number: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearing_count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<StoredDecision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispute: Option<StoredDispute>,
}

#[derive(Serialize, Deserialize)]
struct StoredDispute {
    id: Id,
    transaction: Id,
}

#[derive(Serialize, Deserialize)]
struct StoredPos {
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merchant_initiated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recurring: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct StoredToken {
    token: String,
    state: String,
}

#[derive(Serialize, Deserialize)]
struct StoredVerification {
    address_line1: String,
    postal_code: String,
    security_code: String,
}

impl From<&PointOfSale> for StoredPos {
    fn from(pos: &PointOfSale) -> Self {
        let PointOfSale { entry_mode, merchant_initiated, recurring } = *pos;
        Self { entry_mode: entry_mode.map(|mode| mode.name().to_owned()), merchant_initiated, recurring }
    }
}

impl StoredPos {
    fn read(self) -> Outcome<PointOfSale> {
        let Self { entry_mode, merchant_initiated, recurring } = self;
        let entry_mode = entry_mode.as_deref().map(read_name::<EntryMode>).transpose()?;
        Ok(PointOfSale { entry_mode, merchant_initiated, recurring })
    }
}

impl From<&WalletToken> for StoredToken {
    fn from(token: &WalletToken) -> Self {
        Self { token: token.token.clone(), state: token.state.name().to_owned() }
    }
}

impl StoredToken {
    fn read(self) -> Outcome<WalletToken> {
        Ok(WalletToken { token: self.token, state: read_name::<WalletTokenState>(&self.state)? })
    }
}

impl From<&Verification> for StoredVerification {
    fn from(verification: &Verification) -> Self {
        let [address_line1, postal_code, security_code] =
            [verification.address_line1, verification.postal_code, verification.security_code]
                .map(|result| result.name().to_owned());
        Self { address_line1, postal_code, security_code }
    }
}

impl StoredVerification {
    fn read(self) -> Outcome<Verification> {
        Ok(Verification {
            address_line1: read_name::<Match>(&self.address_line1)?,
            postal_code: read_name::<Match>(&self.postal_code)?,
            security_code: read_name::<Match>(&self.security_code)?,
        })
    }
}

/// Returns the text to store; `None` for nothing.
pub(super) fn text(message: &CardTransaction) -> Option<String> {
    if message.details == MessageDetails::default() && message.acquirer_fee == Minor::ZERO {
        return None;
    }
    let MessageDetails {
        cash_back,
        fee_type,
        pos,
        three_d_secure,
        wallet_token,
        verification,
        multi_clearing,
        decision,
        dispute,
    } = &message.details;
    let stored = Stored {
        acquirer_fee: Some(message.acquirer_fee.0).filter(|fee| *fee != 0),
        cash_back: cash_back.map(|cash| cash.0),
        fee_type: fee_type.clone(),
        pos: pos.as_ref().map(StoredPos::from),
        three_d_secure: three_d_secure.map(|outcome| outcome.name().to_owned()),
        wallet_token: wallet_token.as_ref().map(StoredToken::from),
        verification: verification.as_ref().map(StoredVerification::from),
        clearing_number: multi_clearing.number,
        clearing_count: multi_clearing.count,
        decision: decision.as_ref().map(StoredDecision::from),
        dispute: dispute.map(|link| StoredDispute { id: Id(link.dispute.0), transaction: Id(link.transaction.0) }),
    };
    // Serialization cannot fail: the members are texts, numbers and booleans.
    serde_json::to_string(&stored).ok()
}

/// Reads a stored text: the details, and the acquirer's fee.
pub(super) fn read(text: Option<&str>) -> Outcome<(MessageDetails, Minor)> {
    let Some(text) = text else { return Ok((MessageDetails::default(), Minor::ZERO)) };
    let stored: Stored = json_values::column("details", text)?;
    let acquirer_fee = stored.acquirer_fee.map_or(Minor::ZERO, Minor);
    let details = MessageDetails {
        cash_back: stored.cash_back.map(Minor),
        fee_type: stored.fee_type,
        pos: stored.pos.map(StoredPos::read).transpose()?,
        three_d_secure: stored.three_d_secure.as_deref().map(read_name::<ThreeDSecure>).transpose()?,
        wallet_token: stored.wallet_token.map(StoredToken::read).transpose()?,
        verification: stored.verification.map(StoredVerification::read).transpose()?,
        multi_clearing: MultiClearing { number: stored.clearing_number, count: stored.clearing_count },
        decision: stored.decision.map(StoredDecision::read).transpose()?,
        dispute: stored.dispute.map(|link| DisputeLink {
            dispute: DisputeId(link.id.0),
            transaction: TransactionToken(link.transaction.0),
        }),
    };
    Ok((details, acquirer_fee))
}
