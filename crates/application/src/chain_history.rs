//! Reads a whole chain of card messages (contract 5.6).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::card::ChainHistory;
use florin_domain::ids::TransactionToken;
use florin_ports::StoreError;

/// Returns the chain that contains the message with this token. `None`: no such message on the account.
pub async fn chain_history(
    services: &Services,
    account: &Account,
    token: TransactionToken,
) -> Result<Option<ChainHistory>, StoreError> {
    services.chains.history(&account.id, token).await
}
