//! `GET /v2/addresses/lookup` (contract 4)

use crate::call::Call;
use crate::declare::parameters;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::LookupErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Requirement, lookup_addresses};
use florin_domain::access::{Feature, Scope};
use florin_domain::address::{Address, PostcodeQuery};
use serde::Serialize;
use utoipa::ToSchema;

const REQUIREMENT: Requirement =
    Requirement { scope: Scope::AddressesLookup, sandbox_only: false, feature: Some(Feature::AddressesLookup) };

/// The addresses of a postcode.
#[derive(Serialize, ToSchema)]
#[schema(as = Addresses)]
pub(crate) struct AddressesView {
    data: Vec<AddressView>,
}

/// An address. Missing parts are empty strings.
#[derive(Serialize, ToSchema)]
#[schema(as = Address)]
#[serde(rename_all = "camelCase")]
struct AddressView {
    address_line1: String,
    address_line2: String,
    address_line3: String,
    city: String,
    /// The postcode, without a space.
    postcode: String,
    county: String,
}

impl From<Address> for AddressView {
    fn from(address: Address) -> Self {
        let Address { address_line1, address_line2, address_line3, city, postcode, county } = address;
        Self { address_line1, address_line2, address_line3, city, postcode, county }
    }
}

parameters! {
    /// The postcode to look up.
    pub(crate) struct LookupParameters in Query {
        /// A UK postcode, with or without a space, in either case.
        "postcode" => postcode: PostcodeQuery,
    }
}

/// Lists all addresses of a UK postcode.
///
/// Disabled by default; the operator enables it per client.
#[utoipa::path(get, path = "/v2/addresses/lookup", tag = "Addresses", operation_id = "lookupAddresses",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(LookupParameters),
    responses((status = 200, description = "The addresses; empty if the postcode is unknown.", body = AddressesView),
        LookupErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let lookup = call.read::<LookupParameters>();
    call.finish_reading()?;
    let found = lookup_addresses(&app.services, &expect_valid(lookup)?.postcode).await?;
    ok(&AddressesView { data: found.into_iter().map(AddressView::from).collect() })
}
