//! Looks up the addresses of a postcode (contract 4).

use crate::Services;
use florin_domain::address::{Address, PostcodeQuery};
use florin_ports::PostcodeError;

/// Returns the addresses of a postcode. A text without a UK format has none, and no provider is called for it.
pub async fn lookup_addresses(services: &Services, query: &PostcodeQuery) -> Result<Vec<Address>, PostcodeError> {
    match query {
        PostcodeQuery::Uk(postcode) => services.postcodes.lookup(postcode).await,
        PostcodeQuery::Other => Ok(Vec::new()),
    }
}
