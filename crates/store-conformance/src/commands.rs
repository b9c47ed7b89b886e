//! Commands of the checks, with the domain's rules or with custom rules.

use crate::check::Failure;
use crate::seed_data::{Who, gbp, jpy, noon, uuid};
use chrono::{DateTime, Utc};
use florin_domain::batch::{ConfirmSituation, MfaProof, decide_confirm};
use florin_domain::budget::{CreditInstruction, CreditScheme, CreditSituation, decide_credit};
use florin_domain::card::decide::{
    CardDecision, CardRefusal, ChainSituation, Extras, FirstKind, FirstMessage, FirstSituation, FollowUp,
    decide_expiry, decide_first, decide_follow_up,
};
use florin_domain::card::{AcceptorInput, CardTransaction, Network};
use florin_domain::ids::{CardId, JournalId, MfaSessionId, PaymentBatchId, TransactionToken};
use florin_domain::mfa::{MfaCheck, MfaProviderName, MfaVerdict, OpenRequest, OpenSituation, decide_open};
use florin_domain::money::{Currency, DecimalAmount, Quotes, Rate};
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use florin_ports::{
    ConfirmCommand, CreditCommand, DueHold, ExpiryCommand, FirstMessageCommand, FollowUpCommand, IdempotencyClaim,
    IdempotencyKey, Mode, OpenMfaSessionCommand, RecordedBody, RecordedRequest, StoredResponse, WriteError, Written,
};
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;
use uuid::Uuid;

pub(crate) type MessageResult = Result<Written<CardTransaction>, WriteError<CardRefusal>>;

/// Returns the token of message `number`.
pub(crate) const fn token(number: u128) -> TransactionToken {
    TransactionToken(uuid(40, number))
}

/// Returns the id of journal transaction `number`.
pub(crate) const fn journal_id(number: u128) -> JournalId {
    JournalId(uuid(41, number))
}

/// Returns the id of MFA session `number`.
pub(crate) const fn session_id(number: u128) -> MfaSessionId {
    MfaSessionId(uuid(42, number))
}

/// The ids and the time of a message, chosen before it is decided.
#[derive(Clone, Copy)]
pub(crate) struct MessageIds {
    pub(crate) token: TransactionToken,
    pub(crate) journal: JournalId,
    pub(crate) now: DateTime<Utc>,
}

impl MessageIds {
    /// Runs a rule with these ids. Every run gets the same ids.
    pub(crate) fn rule<T>(&self, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
        stamped(self.now, (self.token.0, self.journal.0), rule)
    }
}

/// Runs a rule with two ids, in the order in which it draws them.
pub(crate) fn stamped<T>(now: DateTime<Utc>, (first, second): (Uuid, Uuid), rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
    let next = Cell::new(first);
    rule(&Stamp { now, ids: &|| next.replace(second) })
}

/// Returns the ids of message `number`, stamped at noon.
pub(crate) fn stamp(number: u128) -> MessageIds {
    stamp_at(number, noon())
}

pub(crate) const fn stamp_at(number: u128, now: DateTime<Utc>) -> MessageIds {
    MessageIds { token: token(number), journal: journal_id(number), now }
}

pub(crate) fn amount(text: &str) -> Result<DecimalAmount, Failure> {
    Ok(DecimalAmount::from_json_number(text)?)
}

/// Returns a first message of this kind, with the amount `text`.
pub(crate) fn message(kind: FirstKind, text: &str) -> Result<FirstMessage, Failure> {
    let acceptor = AcceptorInput {
        mid: Text::parse("11111")?,
        name: None,
        city: None,
        state: None,
        postal_code: None,
        country_code: None,
        mcc: None,
    };
    let (amount, acceptor) = (amount(text)?, acceptor.completed());
    Ok(FirstMessage { kind, amount, network: Network::Visa, acceptor, extras: Extras::default() })
}

/// Returns exchange rates from USD to the currencies of the seeded cards.
pub(crate) fn dollars() -> Result<Quotes, Failure> {
    let rates = vec![(gbp()?, Rate::parse("0.787037037")?), (jpy()?, Rate::parse("151.1111111")?)];
    Ok(Quotes { from: Currency::parse("USD")?, rates })
}

/// Builds a purchase on the account's first card, with the amount `text`.
pub(crate) fn purchase(who: Who, number: u128, text: &str) -> Result<FirstMessageCommand, Failure> {
    first(who, who.card(), message(FirstKind::Purchase, text)?, stamp(number))
}

pub(crate) fn first(
    who: Who,
    card: CardId,
    message: FirstMessage,
    ids: MessageIds,
) -> Result<FirstMessageCommand, Failure> {
    let decide = Arc::new(move |situation: &FirstSituation| ids.rule(|stamp| decide_first(situation, &message, stamp)));
    Ok(FirstMessageCommand { account: who.account()?, card, decide, mode: Mode::Commit, claim: None })
}

/// Builds a follow-up to the message with this token.
pub(crate) fn follow_up(
    who: Who,
    token: TransactionToken,
    number: u128,
    message: FollowUp,
) -> Result<FollowUpCommand, Failure> {
    let ids = stamp(number);
    let decide = Arc::new(move |situation: &ChainSituation| {
        ids.rule(|stamp| decide_follow_up(situation, token, &message, stamp))
    });
    Ok(FollowUpCommand { account: who.account()?, token, decide, mode: Mode::Commit, claim: None })
}

pub(crate) fn clearing(text: &str, is_final: bool) -> Result<FollowUp, Failure> {
    Ok(FollowUp::Clearing { amount: amount(text)?, is_final })
}

/// Builds the expiry of a hold at the given time.
pub(crate) fn expiry(
    who: Who,
    chain: TransactionToken,
    number: u128,
    now: DateTime<Utc>,
) -> Result<ExpiryCommand, Failure> {
    let ids = stamp_at(number, now);
    let decide = Arc::new(move |situation: &ChainSituation| ids.rule(|stamp| decide_expiry(situation, stamp)));
    Ok(ExpiryCommand { hold: DueHold { account: who.account()?, chain }, decide })
}

pub(crate) fn instruction(who: Who, text: &str, currency: Currency) -> Result<CreditInstruction, Failure> {
    Ok(CreditInstruction {
        budget: who.budget(),
        amount: amount(text)?,
        currency,
        remitters_name: Text::parse("Ann")?,
        remitters_address: Text::parse("1 High Street")?,
        beneficiary_name: Text::parse("Bob")?,
        scheme: CreditScheme::FasterPayment,
        reference: None,
        bank_identifier: None,
        account_identifier: None,
        order_id: None,
        third_party_reference: None,
        institution_name: None,
        institution_address: None,
    })
}

/// Builds a credit to the account's first budget, with the amount `text`.
pub(crate) fn credit(who: Who, number: u128, text: &str, currency: Currency) -> Result<CreditCommand, Failure> {
    credit_of(who, number, instruction(who, text, currency)?)
}

/// Builds a credit in GBP with every text set to `text`.
pub(crate) fn credit_with_everything(who: Who, number: u128, text: &str) -> Result<CreditCommand, Failure> {
    let some = || Ok::<_, Failure>(Some(Text::parse(text)?));
    let instruction = CreditInstruction {
        remitters_name: Text::parse(text)?,
        remitters_address: Text::parse(text)?,
        beneficiary_name: Text::parse(text)?,
        scheme: CreditScheme::Chaps,
        reference: some()?,
        bank_identifier: some()?,
        account_identifier: some()?,
        order_id: some()?,
        third_party_reference: some()?,
        institution_name: some()?,
        institution_address: some()?,
        ..instruction(who, "2.50", gbp()?)?
    };
    credit_of(who, number, instruction)
}

/// Builds a credit from an instruction.
pub(crate) fn credit_of(who: Who, number: u128, instruction: CreditInstruction) -> Result<CreditCommand, Failure> {
    let budget = instruction.budget;
    let decide = Arc::new(move |situation: &CreditSituation| {
        let stamp = Stamp { now: noon(), ids: &|| journal_id(number).0 };
        decide_credit(&situation.budget, situation.number, &instruction, &stamp)
    });
    Ok(CreditCommand { account: who.account()?, budget, decide, mode: Mode::Commit, claim: None })
}

/// Builds a command that opens an MFA session for the account's first batch.
pub(crate) fn open(who: Who, number: u128, provider: MfaProviderName) -> Result<OpenMfaSessionCommand, Failure> {
    let request = OpenRequest { id: session_id(number), client: who.client(), provider, now: noon() };
    let decide = Arc::new(move |situation: &OpenSituation| decide_open(situation, &request));
    Ok(OpenMfaSessionCommand { account: who.account()?, batch: who.batch(), decide, claim: None })
}

/// The verdict on a right token of the sandbox's provider.
pub(crate) const RIGHT: MfaVerdict = MfaVerdict::Correct { step: None };

/// Returns a source of sequential ids that starts at journal id `first`.
pub(crate) fn ids_from(first: u128) -> impl Fn() -> Uuid {
    let next = Cell::new(first);
    move || journal_id(next.replace(next.get() + 1)).0
}

/// Builds a command that confirms the account's first batch under an MFA session; journal ids start at `journal`.
pub(crate) fn confirm(
    who: Who,
    session: u128,
    journal: u128,
    proof: (MfaProviderName, MfaVerdict),
) -> Result<ConfirmCommand, Failure> {
    confirm_batch(who, who.batch(), session, journal, proof)
}

/// Builds a command that confirms a batch under an MFA session; journal ids start at `journal`.
pub(crate) fn confirm_batch(
    who: Who,
    batch: PaymentBatchId,
    session: u128,
    journal: u128,
    (provider, verdict): (MfaProviderName, MfaVerdict),
) -> Result<ConfirmCommand, Failure> {
    let check = MfaCheck { client: who.client(), account: who.account()?, batch, provider };
    let proof = MfaProof { check, verdict };
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        let ids = ids_from(journal);
        decide_confirm(situation, Some(&proof), who.client(), &Stamp { now: noon(), ids: &ids })
    });
    let session = Some(session_id(session));
    Ok(ConfirmCommand { account: who.account()?, batch, session, decide, mode: Mode::Commit, claim: None })
}

pub(crate) fn request(body: &str) -> RecordedRequest {
    RecordedRequest {
        method: "POST".into(),
        path: "/v2/somewhere".into(),
        query: r#"{"accountId":"F1"}"#.into(),
        body: RecordedBody::Json(body.into()),
    }
}

/// Builds an idempotency claim of the account's client; the stored response is the outcome's debug text.
pub(crate) fn claim<T: Debug + 'static>(who: Who, key: &str, body: &str) -> Result<IdempotencyClaim<T>, Failure> {
    Ok(IdempotencyClaim {
        client: who.client(),
        account: who.account()?,
        key: IdempotencyKey::parse(key.as_bytes())?,
        request: Arc::new(request(body)),
        at: noon(),
        response: Arc::new(answer_of::<T>),
    })
}

pub(crate) fn answer_of<T: Debug>(done: &T) -> StoredResponse {
    StoredResponse { status: 201, body: format!("{done:?}") }
}

/// Returns the command with a rule whose decision is changed by `change` before it is stored.
pub(crate) fn with_changed_decision(
    command: FirstMessageCommand,
    change: impl Fn(&FirstSituation, &mut CardDecision) + Send + Sync + 'static,
) -> FirstMessageCommand {
    let rule = Arc::clone(&command.decide);
    let decide = Arc::new(move |situation: &FirstSituation| {
        let mut decision = rule(situation)?;
        change(situation, &mut decision);
        Ok(decision)
    });
    FirstMessageCommand { decide, ..command }
}

/// Returns the follow-up with a rule whose decision is changed by `change` before it is stored.
pub(crate) fn with_changed_follow_up(
    command: FollowUpCommand,
    change: impl Fn(&mut CardDecision) + Send + Sync + 'static,
) -> FollowUpCommand {
    let rule = Arc::clone(&command.decide);
    let decide = Arc::new(move |situation: &ChainSituation| {
        let mut decision = rule(situation)?;
        change(&mut decision);
        Ok(decision)
    });
    FollowUpCommand { decide, ..command }
}

pub(crate) const SANDBOX: MfaProviderName = MfaProviderName::Sandbox;
