//! Delivery addresses of physical cards, and the states of the physical cards of virtual cards.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::json_values;
use super::body::tables::cards::cards;
use super::body::types::{Id, Named};
use diesel::prelude::*;
use florin_domain::card::{CardRecord, CardState, RecipientAddress};
use florin_domain::ids::AccountId;
use std::collections::BTreeMap;

/// Returns the state of the last physical card of each virtual card that has one, by the id of the virtual card.
pub(super) fn states(conn: &mut Conn, account: &AccountId, records: &[CardRecord]) -> Outcome<BTreeMap<Id, CardState>> {
    let ids: Vec<_> = records.iter().map(|record| Some(Id(record.card.id.0))).collect();
    let rows = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::virtual_card_id.eq_any(ids))
        .order((cards::created_at, cards::id))
        .select((cards::virtual_card_id, cards::state))
        .load::<(Option<Id>, Named<CardState>)>(conn)?;
    Ok(rows.into_iter().filter_map(|(card, state)| Some((card?, state.0))).collect())
}

/// Reads the address to which a card is sent.
pub(super) fn recipient(stored: Option<&str>) -> Outcome<Option<RecipientAddress>> {
    stored.map(|text| json_values::column("recipient_address", text)).transpose()
}

/// Returns the address as the text to store.
pub(super) fn recipient_text(recipient: Option<&RecipientAddress>) -> Option<String> {
    // Serialization cannot fail: the members are texts.
    recipient.and_then(|address| serde_json::to_string(address).ok())
}
