//! Checks of chains, the explanations of declines, and the members that extensions add to records.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{amount, clearing, dollars, expiry, first, follow_up, message, purchase, stamp, token};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::observe::{books_are_right, chain};
use crate::seed_data::{Who, noon, seed_data, seed_store};
use chrono::TimeDelta;
use florin_domain::card::decide::{Extras, FirstKind, FirstMessage, FollowUp};
use florin_domain::card::{
    CardState, CardTransaction, ChainHistory, Conversion, DeclineExplanation, MerchantAmounts, Response,
};
use florin_domain::money::Minor;
use florin_domain::text::Text;

checks! {
    "chains.history.shows_messages_hold_and_journal" => shows_messages_hold_and_journal,
    "chains.history.any_message_names_it" => any_message,
    "chains.history.unknown_token_is_absent" => unknown_token_is_absent,
    "chains.history.declines_are_explained_as_they_were_decided" => declines_are_explained_as_they_were_decided,
    "chains.history.a_declined_first_message_is_all_there_is" => a_declined_first_message_is_all_there_is,
    "cards.extensions.keep_every_field" => every_field,
    "cards.extensions.the_merchants_side_is_kept_from_message_to_message" => merchant_side,
    "tenancy.history.foreign_token_is_absent" => foreign_token_is_absent,
}

async fn history(handle: &Handle, number: u128) -> Result<ChainHistory, Failure> {
    expect_some("the history", handle.chains.history(&Who::Main.account()?, token(number)).await?)
}

async fn send_with(
    handle: &Handle,
    number: u128,
    (kind, text): (FirstKind, &str),
    extras: Extras,
) -> Result<CardTransaction, Failure> {
    let message = FirstMessage { extras, ..message(kind, text)? };
    expect_new(handle.cards.first_message(first(Who::Main, Who::Main.card(), message, stamp(number))?).await)
}

async fn send_follow_up(handle: &Handle, number: u128, message: FollowUp) -> Result<CardTransaction, Failure> {
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), number, message)?).await)
}

async fn shows_messages_hold_and_journal(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "7")?).await)?;
    send_follow_up(&handle, 3, FollowUp::Advice { amount: amount("1000")? }).await?;
    send_follow_up(&handle, 4, FollowUp::Reversal { amount: Some(amount("4")?) }).await?;
    send_follow_up(&handle, 5, clearing("2", false)?).await?;
    send_follow_up(&handle, 6, clearing("4", true)?).await?;
    let found = history(&handle, 1).await?;
    let tokens: Vec<_> = found.messages.iter().map(|message| message.transaction.token).collect();
    same("the messages", tokens, [1, 3, 4, 5, 6].map(token).to_vec())?;
    let seen = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    same("the first message", &found.messages[0].transaction, &seen.first)?;
    same("the chain", &found.chain, &seen.chain)?;
    let steps: Vec<_> = found.steps().iter().map(|step| (step.message, step.held.0)).collect();
    let expected = [(1, 1_000), (3, 1_000), (4, 600), (5, 400), (6, 0)].map(|(number, held)| (token(number), held));
    same("the hold, step by step", steps, expected.to_vec())?;
    let causes: Vec<_> = found.journal.iter().map(|journal| journal.cause).collect();
    same("the causes of the journal", causes, [1, 4, 5, 6].map(|number| token(number).0).to_vec())?;
    let cleared = expect_some("the last transaction", found.journal.last())?;
    let sum: i64 = cleared.postings().iter().map(|posting| posting.amount.0).sum();
    same("its postings", (cleared.postings().len(), sum), (2, 0))?;
    books_are_right(&handle).await
}

async fn any_message(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    send_follow_up(&handle, 2, FollowUp::Advice { amount: amount("1000")? }).await?;
    let due = noon() + TimeDelta::days(7);
    same("the expiry", handle.cards.expire(expiry(Who::Main, token(1), 3, due)?).await, Ok(true))?;
    let found = history(&handle, 1).await?;
    same("the number of messages", found.messages.len(), 3)?;
    for number in [2, 3] {
        same("the history by another message", history(&handle, number).await?, found.clone())?;
    }
    Ok(())
}

async fn unknown_token_is_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    same("an unknown token", handle.chains.history(&Who::Main.account()?, token(2)).await?, None)
}

async fn foreign_token_is_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Other, 1, "10")?).await)?;
    same("a foreign token", handle.chains.history(&Who::Main.account()?, token(1)).await?, None)
}

/// Declines one message by each rule, and expects an explanation with everything that the rule read.
async fn declines_are_explained_as_they_were_decided(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let cards = &mut data.accounts[0].cards;
    let mut spare = cards[0].clone();
    let mut ids = [(20, CardState::Unactivated), (21, CardState::Replaced), (22, CardState::Suspended)]
        .map(|(number, state)| {
            spare.card.id = florin_domain::ids::CardId(token(number).0);
            spare.card.state = state;
            cards.push(spare.clone());
            spare.card.id
        })
        .to_vec();
    spare.card.id = florin_domain::ids::CardId(token(23).0);
    (spare.card.state, spare.card.expires_on) = (CardState::Active, crate::seed_data::day(2026, 8, 31));
    cards.push(spare.clone());
    ids.extend([spare.card.id, Who::Main.limited_card(), Who::Main.card()]);
    handle.seeding.seed(data).await?;
    let mut number = 0;
    let mut failed = Vec::new();
    for (card, decline) in
        ids.iter().map(|card| (*card, None)).chain([(Who::Main.card(), Some(Response::IncorrectPin))])
    {
        number += 1;
        let message =
            FirstMessage { extras: Extras { decline, ..Extras::default() }, ..message(FirstKind::Purchase, "500")? };
        let command = first(Who::Main, card, message.clone(), stamp(number))?;
        let situation = expect_some("the card", crate::observe::card(&handle, &Who::Main.account()?, card).await?)?;
        let expected: Option<DeclineExplanation> = stamp(number)
            .rule(|stamp| florin_domain::card::decide::decide_first(&situation, &message, stamp))
            .ok()
            .and_then(|made| made.declined);
        expect_new(handle.cards.first_message(command).await)?;
        let found = history(&handle, number).await?;
        same("the explanation", &found.messages[0].declined, &expected)?;
        failed.push(expect_some("an explanation", expected)?.failed.name());
    }
    let rules = [
        "card_activated",
        "card_in_use",
        "card_not_suspended",
        "card_not_expired",
        "spending_limit",
        "available_balance",
        "forced",
    ];
    same("the rules that failed", failed, rules.to_vec())
}

async fn a_declined_first_message_is_all_there_is(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.cards.first_message(purchase(Who::Main, 1, "95.01")?).await)?;
    let found = history(&handle, 1).await?;
    same("the message", found.messages.iter().map(|message| &message.transaction).collect::<Vec<_>>(), vec![&done])?;
    same("chain and journal", (found.chain, found.journal), (None, vec![]))
}

async fn every_field(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let quotes = Some(dollars()?);
    let acquirer_fee = Some(amount("2.50")?);
    let abroad = Extras { quotes, acquirer_fee, ..Extras::default() };
    let withdrawal = send_with(&handle, 1, (FirstKind::Atm, "10"), abroad).await?;
    same("amount and fee", (withdrawal.amount, withdrawal.acquirer_fee), (Minor(787), Minor(197)))?;
    let rate = expect_some("the rate", dollars()?.rates.first().map(|(_, rate)| *rate))?;
    let conversion = Some(Conversion { currency: dollars()?.from, amount: Minor(1_000), rate });
    same("the conversion", withdrawal.conversion, conversion)?;
    let cleared =
        send_follow_up(&handle, 2, FollowUp::AtmClearing { amount: amount("10")?, fee: Some(amount("2")?) }).await?;
    same("the fee that was cleared", cleared.acquirer_fee, Minor(157))?;
    let partial = Extras { partial_approval: true, ..Extras::default() };
    let part = send_with(&handle, 3, (FirstKind::Purchase, "1000"), partial).await?;
    same("the part", (part.response, part.requested), (Response::PartiallyApproved, Minor(100_000)))?;
    let mut stored = vec![(1, withdrawal), (2, cleared), (3, part)];
    let cash_back = Extras { cash_back: Some(amount("4.25")?), ..Extras::default() };
    stored.push((6, send_with(&handle, 6, (FirstKind::Debit, "5"), cash_back).await?));
    same("the cash", stored.last().and_then(|(_, debit)| debit.details.cash_back), Some(Minor(425)))?;
    let fee = Extras { fee_type: Some(Text::parse("  Gebühr ")?), ..Extras::default() };
    stored.push((7, send_with(&handle, 7, (FirstKind::FeeCharge, "1"), fee).await?));
    let refund = send_with(&handle, 4, (FirstKind::Refund, "5"), Extras::default()).await?;
    let command = follow_up(Who::Main, token(4), 5, FollowUp::RefundReversal)?;
    let withdrawn = expect_new(handle.cards.follow_up(command).await)?;
    for (number, decline) in (10..).zip(Response::DECLINES) {
        let forced = Extras { decline: Some(decline), ..Extras::default() };
        stored.push((number, send_with(&handle, number, (FirstKind::Purchase, "1"), forced).await?));
    }
    stored.push((5, withdrawn));
    for (number, expected) in stored {
        let chain = history(&handle, number).await?;
        let mut messages = chain.messages.into_iter().map(|message| message.transaction);
        let mut message = expect_some("the message", messages.find(|message| message.token == token(number)))?;
        // The state of a first message follows its chain.
        message.state = expected.state;
        same("the message", message, expected)?;
    }
    same("the refund", refund.chain, token(4))?;
    books_are_right(&handle).await
}

async fn merchant_side(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let abroad = Extras { quotes: Some(dollars()?), ..Extras::default() };
    send_with(&handle, 1, (FirstKind::Purchase, "8"), abroad).await?;
    send_follow_up(&handle, 2, FollowUp::Incremental { amount: amount("2")?, decline: None }).await?;
    send_follow_up(&handle, 3, clearing("3.33", false)?).await?;
    let side =
        |history: &ChainHistory| history.chain.as_ref().map(|chain| (chain.merchant, chain.held(), chain.cleared));
    let expected = Some(MerchantAmounts { held: Minor(667), cleared: Minor(333) });
    same("after a part", side(&history(&handle, 1).await?), Some((expected, Minor(525), Minor(262))))?;
    send_follow_up(&handle, 4, clearing("3.33", false)?).await?;
    send_follow_up(&handle, 5, clearing("3.34", false)?).await?;
    let expected = Some(MerchantAmounts { held: Minor(0), cleared: Minor(1_000) });
    same("after the last", side(&history(&handle, 1).await?), Some((expected, Minor(0), Minor(787))))?;
    books_are_right(&handle).await
}
