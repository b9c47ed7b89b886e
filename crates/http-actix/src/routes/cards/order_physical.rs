//! `POST /v2/cards/{cardId}/order-physical` (contract 5.6)

use super::common::{CARD, CardPath, ORDER_PHYSICAL, new_card_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::physical_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::PhysicalCardErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::order_physical_card;
use florin_domain::card::RecipientAddress;
use florin_domain::checkout::{AddressLine, CountryCode, Postcode, RecipientName};
use florin_domain::text::Text;

body! {
    /// The order of a physical card.
    pub(crate) struct OrderPhysicalBody as "OrderPhysicalCardRequest" {
        /// The address to which the card is sent.
        "recipientAddress" => recipient: RecipientBody,
    }
}

body! {
    /// The address to which a physical card is sent.
    pub(crate) struct RecipientBody as "CardRecipientRequest" {
        /// The name of the recipient.
        #[example("Ada Lovelace")]
        "recipientName" => recipient_name: Option<RecipientName>,
        /// The first line of the address.
        #[example("1 High Street")]
        "addressLine1" => address_line1: AddressLine,
        /// The second line of the address.
        "addressLine2" => address_line2: Option<AddressLine>,
        /// The city.
        #[example("London")]
        "city" => city: AddressLine,
        /// The region or county.
        "region" => region: Option<AddressLine>,
        /// The postcode.
        #[example("EC1A 1BB")]
        "postcode" => postcode: Postcode,
        /// The country, an ISO 3166 code of two letters.
        #[example("GB")]
        "countryCode" => country_code: CountryCode,
    }
}

impl From<RecipientBody> for RecipientAddress {
    fn from(body: RecipientBody) -> Self {
        Self {
            recipient_name: body.recipient_name.map(Text::into_string),
            address_line1: body.address_line1.into_string(),
            address_line2: body.address_line2.map(Text::into_string),
            city: body.city.into_string(),
            region: body.region.map(Text::into_string),
            postcode: body.postcode.into_string(),
            country_code: body.country_code,
        }
    }
}

/// Orders a physical card for a virtual card. The virtual card stays in use until the first use of the physical one.
///
/// The physical card is a new card: UNACTIVATED, of type `PHYSICAL_MSR`, with copies of the limits and controls, and
/// without a PIN. The first use of its PIN makes it ACTIVE, and the virtual card TERMINATED. Florin extension.
#[utoipa::path(post, path = "/v2/cards/{cardId}/order-physical", tag = "Cards", operation_id = "orderPhysicalCard",
    security(("apiKey" = [ORDER_PHYSICAL.scope])),
    request_body = OrderPhysicalBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The physical card.", body = CardView), PhysicalCardErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &ORDER_PHYSICAL).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<OrderPhysicalBody>()?;
    let account = write.account().await?;
    let order = (expect_valid(card)?.id, expect_valid(body)?.recipient.into());
    // The address is personal data, so the idempotency record must not contain the body.
    let claim = claim(&write, &account, true, new_card_answer)?;
    execute(claim, (CARD, "card"), physical_card_problem, new_card_answer, async |claim| {
        order_physical_card(&app.management, &account, order, claim).await
    })
    .await
}
