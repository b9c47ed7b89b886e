//! What all first messages have in common.

use super::PERMISSION;
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, amount, one_of, positive_amount, string, text};
use crate::mapping::{card_problem, write_problem};
use crate::problem::{Problem, read};
use crate::repeat::{claim, send};
use crate::state::App;
use crate::views::transaction_answer;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::send_first_message;
use florin_domain::card::decide::FirstMessage;
use florin_domain::card::{AcceptorInput, ChainKind, Network};
use florin_domain::fault::Faults;
use florin_domain::ids::CardId;
use utoipa::ToSchema;

/// A message to a card.
#[derive(ToSchema)]
#[schema(as = FirstCardMessageRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct FirstMessageBody {
    /// The card.
    #[schema(format = Uuid)]
    card_id: String,
    /// How much, in the card's currency. Zero is an account check on an authorization, and refused elsewhere.
    #[schema(value_type = f64, minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$", example = "VISA")]
    network: String,
    card_acceptor: AcceptorBody,
}

/// Where the card is used.
#[derive(ToSchema)]
#[schema(as = CardAcceptorRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
struct AcceptorBody {
    /// Merchant identifier; digits are padded to 15.
    #[schema(min_length = 1, max_length = 36, example = "11111")]
    mid: String,
    #[schema(nullable = true, max_length = 255)]
    name: Option<String>,
    #[schema(nullable = true, max_length = 255)]
    city: Option<String>,
    #[schema(nullable = true, max_length = 40)]
    state: Option<String>,
    #[schema(nullable = true, max_length = 10)]
    postal_code: Option<String>,
    /// ISO 3166 alpha-3.
    #[schema(nullable = true, pattern = "^[A-Za-z]{3}$")]
    country_code: Option<String>,
    /// ISO 18245.
    #[schema(nullable = true, pattern = "^[0-9]{4}$")]
    mcc: Option<String>,
}

/// Takes a first message.
pub(super) async fn take(
    app: &App,
    request: &HttpRequest,
    payload: Payload,
    kind: ChainKind,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(app, request, &PERMISSION).await?.with_body(payload).await?;
    let message = message(write.body.as_ref(), kind, &mut write.call.faults);
    let account = write.account().await?;
    let (card, message) = read(message)?;
    let claim = claim(&write, &account, false, transaction_answer);
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = send_first_message(&app.services, &account, card, message, claim).await;
    let object = ("body.cardId", "card");
    send(written.map_err(|error| write_problem(error, object, recorded.as_ref(), card_problem))?, transaction_answer)
}

/// Reads the body; `None` where faults were noted.
fn message(body: Option<&Json>, kind: ChainKind, faults: &mut Faults) -> Option<(CardId, FirstMessage)> {
    let mut members = Members::of_body(body, faults)?;
    let card = members.required("cardId", faults, |value| CardId::parse(string(value)?));
    // Zero is an account check, which only a purchase has.
    let read_amount = if kind == ChainKind::Purchase { amount } else { positive_amount };
    let amount = members.required("amount", faults, read_amount);
    let network = members.required("network", faults, |value| one_of(value, &Network::ALL, Network::as_str));
    let acceptor = members.required_object("cardAcceptor", faults).and_then(|inner| acceptor(inner, faults));
    members.finish(faults);
    Some((card?, FirstMessage { kind, amount: amount?, network: network?, acceptor: acceptor? }))
}

fn acceptor(mut members: Members<'_>, faults: &mut Faults) -> Option<AcceptorInput> {
    let mid = members.required("mid", faults, text);
    let name = members.optional("name", faults, text);
    let city = members.optional("city", faults, text);
    let state = members.optional("state", faults, text);
    let postal_code = members.optional("postalCode", faults, text);
    let country_code = members.optional("countryCode", faults, |value| AcceptorInput::parse_country(string(value)?));
    let mcc = members.optional("mcc", faults, |value| AcceptorInput::parse_mcc(string(value)?));
    members.finish(faults);
    Some(AcceptorInput {
        mid: mid?,
        name: name?,
        city: city?,
        state: state?,
        postal_code: postal_code?,
        country_code: country_code?,
        mcc: mcc?,
    })
}
