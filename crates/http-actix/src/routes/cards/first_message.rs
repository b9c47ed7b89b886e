//! What all first messages have in common.

use super::PERMISSION;
use crate::call::Call;
use crate::dry_run::send;
use crate::extract::json::Json;
use crate::extract::members::{Members, amount, boolean, one_of, positive_amount, string, text};
use crate::mapping::first_message_problem;
use crate::problem::{Problem, read};
use crate::repeat::claim;
use crate::state::App;
use crate::views::transaction_answer;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::send_first_message;
use florin_domain::card::decide::{Extras, FirstMessage};
use florin_domain::card::{AcceptorInput, ChainKind, Network, Response};
use florin_domain::fault::Faults;
use florin_domain::ids::CardId;
use florin_domain::money::{Currency, DecimalAmount};
use utoipa::ToSchema;

/// A purchase.
#[derive(ToSchema)]
#[schema(as = CardAuthorizationRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct AuthorizationBody {
    /// The card.
    #[schema(format = Uuid)]
    card_id: String,
    /// How much, in the card's currency unless `currencyCode` names another. Zero is an account check.
    #[schema(value_type = f64, minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$", example = "VISA")]
    network: String,
    card_acceptor: AcceptorBody,
    /// Extension of Florin: the merchant's currency, ISO 4217. The amount is then in it, as are those of what follows.
    #[schema(nullable = true, pattern = "^[A-Z]{3}$")]
    currency_code: Option<String>,
    /// Extension of Florin: when funds are short, what is there is approved (0002).
    #[schema(nullable = true)]
    partial_approval: Option<bool>,
    #[schema(nullable = true)]
    sandbox: Option<SandboxBody>,
}

/// An ATM withdrawal.
#[derive(ToSchema)]
#[schema(as = AtmWithdrawalRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct WithdrawalBody {
    /// The card.
    #[schema(format = Uuid)]
    card_id: String,
    /// How much, above zero, in the card's currency unless `currencyCode` names another.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$", example = "VISA")]
    network: String,
    card_acceptor: AcceptorBody,
    /// Extension of Florin: the merchant's currency, ISO 4217. The amount is then in it, as are those of what follows.
    #[schema(nullable = true, pattern = "^[A-Z]{3}$")]
    currency_code: Option<String>,
    /// Extension of Florin: what the acquirer charges on top, in the currency of the amount.
    #[schema(nullable = true, value_type = Option<f64>, minimum = 0, maximum = 1_000_000_000)]
    acquirer_fee_amount: Option<()>,
    #[schema(nullable = true)]
    sandbox: Option<SandboxBody>,
}

/// Extension of Florin: what the sandbox is to do, whatever the rules say.
#[derive(ToSchema)]
#[schema(as = CardSandboxRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct SandboxBody {
    /// Declines the message with this code.
    #[schema(nullable = true, pattern = "^(1806|1003|1001|1817|1016|1004|1005|1809)$", example = "1016")]
    decline: Option<String>,
}

/// A refund.
#[derive(ToSchema)]
#[schema(as = CardRefundRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct RefundBody {
    /// The card.
    #[schema(format = Uuid)]
    card_id: String,
    /// How much, above zero, in the card's currency unless `currencyCode` names another.
    #[schema(value_type = f64, exclusive_minimum = 0, maximum = 1_000_000_000, example = 10.00)]
    amount: (),
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$", example = "VISA")]
    network: String,
    card_acceptor: AcceptorBody,
    /// Extension of Florin: the merchant's currency, ISO 4217. The amount is then in it, as are those of what follows.
    #[schema(nullable = true, pattern = "^[A-Z]{3}$")]
    currency_code: Option<String>,
    #[schema(nullable = true)]
    sandbox: Option<SandboxBody>,
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
    let mut call = Call::enter(app, request, &PERMISSION).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let message = message(write.body.as_ref(), kind, &mut write.call.faults);
    let account = write.account().await?;
    let (card, message) = read(message)?;
    let claim = claim(&write, &account, false, |record| transaction_answer(record, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let written = send_first_message(&app.services, &account, card, message, mode, claim).await;
    send(written.map_err(|error| first_message_problem(error, recorded.as_ref()))?, transaction_answer)
}

/// A card, a message to it, and the merchant's currency.
type Sent = (CardId, (FirstMessage, Option<Currency>));

/// Reads the body; `None` where faults were noted.
fn message(body: Option<&Json>, kind: ChainKind, faults: &mut Faults) -> Option<Sent> {
    let mut members = Members::of_body(body, faults)?;
    let card = members.required("cardId", faults, |value| CardId::parse(string(value)?));
    // Zero is an account check, which only a purchase has.
    let read_amount = if kind == ChainKind::Purchase { amount } else { positive_amount };
    let amount = members.required("amount", faults, read_amount);
    let network = members.required("network", faults, |value| one_of(value, &Network::ALL, Network::as_str));
    let acceptor = members.required_object("cardAcceptor", faults).and_then(|inner| acceptor(inner, faults));
    let merchant = members.optional("currencyCode", faults, |value| Currency::parse(string(value)?));
    let partial_approval = match kind {
        ChainKind::Purchase => members.optional("partialApproval", faults, boolean),
        ChainKind::Atm | ChainKind::Refund => Some(None),
    };
    let acquirer_fee = match kind {
        ChainKind::Atm => acquirer_fee(&mut members, faults),
        ChainKind::Purchase | ChainKind::Refund => Some(None),
    };
    let decline = forced_decline(&mut members, faults);
    members.finish(faults);
    let extras = Extras {
        quotes: None,
        partial_approval: partial_approval?.unwrap_or_default(),
        acquirer_fee: acquirer_fee?,
        decline: decline?,
    };
    let message = FirstMessage { kind, amount: amount?, network: network?, acceptor: acceptor?, extras };
    Some((card?, (message, merchant?)))
}

/// What the acquirer of an ATM charges on top. The outer `None`: a fault was noted.
#[expect(clippy::option_option, reason = "faulty, missing and there are three cases")]
pub(super) fn acquirer_fee(members: &mut Members<'_>, faults: &mut Faults) -> Option<Option<DecimalAmount>> {
    members.optional("acquirerFeeAmount", faults, amount)
}

/// The decline that the caller wants. The outer `None`: a fault was noted.
#[expect(clippy::option_option, reason = "faulty, missing and there are three cases")]
pub(super) fn forced_decline(members: &mut Members<'_>, faults: &mut Faults) -> Option<Option<Response>> {
    let Some(mut sandbox) = members.optional_object("sandbox", faults)? else { return Some(None) };
    let decline = sandbox.optional("decline", faults, |value| one_of(value, &Response::DECLINES, Response::code));
    sandbox.finish(faults);
    decline
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
