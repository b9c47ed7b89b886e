//! What only some messages have, as JSON.

use super::body::errors::{Outcome, corrupt};
use florin_domain::card::MessageDetails;
use florin_domain::money::Minor;
use serde::{Deserialize, Serialize};

/// The stored form. Absent members are left out, and members of a newer version are ignored.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(skip_serializing_if = "Option::is_none")]
    cash_back: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee_type: Option<String>,
}

/// Returns the text to store; `None` for nothing.
pub(super) fn text(details: &MessageDetails) -> Option<String> {
    if *details == MessageDetails::default() {
        return None;
    }
    let MessageDetails { cash_back, fee_type } = details;
    let stored = Stored { cash_back: cash_back.map(|cash| cash.0), fee_type: fee_type.clone() };
    // Serialization cannot fail: the members are texts and numbers.
    serde_json::to_string(&stored).ok()
}

/// Reads a stored text.
pub(super) fn read(text: Option<&str>) -> Outcome<MessageDetails> {
    let Some(text) = text else { return Ok(MessageDetails::default()) };
    let Stored { cash_back, fee_type } = serde_json::from_str(text).map_err(corrupt)?;
    Ok(MessageDetails { cash_back: cash_back.map(Minor), fee_type })
}
