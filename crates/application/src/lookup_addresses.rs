//! Looks up the addresses of a postcode (contract 4).

use crate::Services;
use florin_domain::address::{Address, PostcodeQuery};
use florin_ports::PostcodeError;

/// Returns the addresses of a postcode. For text that can't be a UK postcode, returns none and calls no provider.
pub async fn lookup_addresses(services: &Services, query: &PostcodeQuery) -> Result<Vec<Address>, PostcodeError> {
    match query {
        PostcodeQuery::Uk(postcode) => services.postcodes.lookup(postcode).await,
        PostcodeQuery::Other => Ok(Vec::new()),
    }
}
