//! Checks of card messages: each is stored completely and visible to the next.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{amount, clearing, first, follow_up, message, purchase, stamp, token};
use crate::expect::{absent, expect_new, expect_some, refused, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right, card, chain};
use crate::seed_data::{Who, gbp, jpy, seed_store};
use florin_domain::card::decide::{CardRefusal, FirstKind, FirstMessage, FollowUp};
use florin_domain::card::{AcceptorInput, ChainEnd, MessageKind, Network, Response, TransactionState};
use florin_domain::ids::CardId;
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::text::Text;

checks! {
    "cards.first_message.stores_the_whole_decision" => stores_the_whole_decision,
    "cards.first_message.keeps_every_field" => every_field,
    "cards.first_message.decline_is_stored_and_moves_nothing" => decline_is_stored_and_moves_nothing,
    "cards.first_message.refusal_changes_nothing" => refusal_changes_nothing,
    "cards.first_message.unknown_card_is_absent" => unknown_card,
    "cards.first_message.decisions_see_earlier_effects" => sees_earlier,
    "cards.first_message.is_shown_the_balance_of_its_currency" => own_currency,
    "cards.follow_up.stores_the_whole_decision" => follow_up_stores_all,
    "cards.follow_up.first_message_takes_the_end_of_its_chain" => first_message_takes_the_end_of_its_chain,
    "cards.follow_up.a_chain_that_has_ended_can_change" => after_the_end,
    "cards.follow_up.any_message_names_its_chain" => any_message,
    "cards.follow_up.decline_leaves_the_chain" => advice_declined,
    "cards.follow_up.of_a_declined_message_has_no_chain" => follow_up_of_a_declined_message_has_no_chain,
    "cards.follow_up.refusal_changes_nothing" => follow_up_refusal,
    "cards.follow_up.unknown_token_is_absent" => unknown_token,
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10.25")?).await)?;
    same("the answer's state", (done.state, done.response), (TransactionState::Pending, Response::Approved))?;
    let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    same("the message", &seen.first, &done)?;
    same("what it is", seen.named_message, (MessageKind::Authorization, TransactionState::Pending))?;
    let hold = expect_some("the chain", seen.chain)?;
    same(
        "the hold",
        (hold.id, hold.held(), hold.authorised, hold.end()),
        (token(1), Minor(1_025), Minor(1_025), None),
    )?;
    same("when the hold is due", hold.due_at(), Some(done.created_at + florin_domain::card::HoldLife::DEFAULT))?;
    let expected = Balances::new(Minor(8_475), Minor(1_025), Minor(0))?;
    same("the balances", balances(&handle, Who::Main, gbp()?).await?, expected)?;
    same("the balances that rules see", seen.balances, expected)?;
    let report = handle.books_check.check_all().await?;
    same("the journal", report.journal_transactions, 7)?;
    books_are_right(&handle).await
}

async fn every_field(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let acceptor = AcceptorInput {
        mid: Text::parse("M-1")?,
        name: Some(Text::parse("")?),
        city: Some(Text::parse("Köln")?),
        state: Some(Text::parse("NRW")?),
        postal_code: Some(Text::parse("50667")?),
        country_code: Some("DEU".into()),
        mcc: Some("5812".into()),
    };
    let acceptor = acceptor.completed();
    let mut number = 0;
    for kind in FirstKind::ALL {
        for network in Network::ALL {
            number += 1;
            let message = FirstMessage { acceptor: acceptor.clone(), network, ..message(kind, "1")? };
            let command = first(Who::Main, Who::Main.card(), message, stamp(number))?;
            let done = expect_new(handle.cards.first_message(command).await)?;
            let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(number)).await?)?;
            same("network and acceptor", (seen.first.network, &seen.first.acceptor), (network, &acceptor))?;
            same("the message", seen.first, done)?;
            same("the kind of its chain", seen.chain.map(|chain| chain.kind), Some(kind.chain()))?;
        }
    }
    books_are_right(&handle).await
}

async fn decline_is_stored_and_moves_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.cards.first_message(purchase(Who::Main, 1, "95.01")?).await)?;
    same("the response", (done.state, done.response), (TransactionState::Declined, Response::NotSufficientFunds))?;
    let seen = expect_some("the declined message", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    same("the declined message", seen.first, done)?;
    same("its chain", seen.chain, None)?;
    same(
        "the balances",
        balances(&handle, Who::Main, gbp()?).await?,
        Balances::new(Minor(9_500), Minor(0), Minor(0))?,
    )?;
    same("the journal", handle.books_check.check_all().await?.journal_transactions, 6)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    let command = purchase(Who::Main, 2, "0.001")?;
    refused(handle.cards.first_message(command).await)?;
    before.still_holds("a refused first message", &handle).await
}

async fn unknown_card(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let command = first(Who::Main, CardId(token(9).0), message(FirstKind::Purchase, "1")?, stamp(1))?;
    absent("an unknown card", &handle.cards.first_message(command).await)?;
    before.still_holds("a message on an unknown card", &handle).await
}

async fn sees_earlier(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in 1..=9 {
        let done = expect_new(handle.cards.first_message(purchase(Who::Main, number, "10")?).await)?;
        let left = Minor(9_500 - 1_000 * i64::try_from(number).unwrap_or(0));
        same("what is left", (done.available_balance, done.ledger_balance), (left, Minor(9_500)))?;
    }
    let tenth = expect_new(handle.cards.first_message(purchase(Who::Main, 10, "10")?).await)?;
    same("the tenth", tenth.response, Response::NotSufficientFunds)?;
    let eleventh = expect_new(handle.cards.first_message(purchase(Who::Main, 11, "5")?).await)?;
    same("the last five pounds", (eleventh.response, eleventh.available_balance), (Response::Approved, Minor(0)))
}

async fn own_currency(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = first(Who::Main, Who::Main.yen_card(), message(FirstKind::Purchase, "4999")?, stamp(1))?;
    let done = expect_new(handle.cards.first_message(command).await)?;
    same("what is left", (done.currency, done.available_balance), (jpy()?, Minor(1)))?;
    same("the yen", balances(&handle, Who::Main, jpy()?).await?, Balances::new(Minor(1), Minor(4_999), Minor(0))?)?;
    same("the pounds", balances(&handle, Who::Main, gbp()?).await?, Balances::new(Minor(9_500), Minor(0), Minor(0))?)?;
    let other = expect_some("a card", card(&handle, &Who::Main.account()?, Who::Main.limited_card()).await?)?;
    same("the second budget", other.balances, Balances::new(Minor(5_000), Minor(0), Minor(0))?)
}

async fn follow_up_stores_all(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let account = Who::Main.account()?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let part = expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, clearing("4", false)?)?).await)?;
    let seen = expect_some("the clearing", chain(&handle, &account, token(2)).await?)?;
    same("what was named", seen.named_message, (MessageKind::Clearing, TransactionState::Completed))?;
    let hold = expect_some("the chain", seen.chain)?;
    same("the hold", (hold.held(), hold.cleared, hold.end()), (Minor(600), Minor(400), None))?;
    same("the balances", seen.balances, Balances::new(Minor(8_500), Minor(600), Minor(0))?)?;
    same("the answer", (part.preceding, part.ledger_balance), (Some(token(1)), Minor(9_100)))?;
    // The clearing exceeds the hold: available funds cover the difference, and the chain ends.
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 3, clearing("7", true)?)?).await)?;
    let seen = expect_some("the chain", chain(&handle, &account, token(1)).await?)?;
    let hold = expect_some("the chain", seen.chain)?;
    same("the end", (hold.held(), hold.cleared, hold.end()), (Minor(0), Minor(1_100), Some(ChainEnd::Cleared)))?;
    same("the balances", seen.balances, Balances::new(Minor(8_400), Minor(0), Minor(0))?)?;
    books_are_right(&handle).await
}

async fn first_message_takes_the_end_of_its_chain(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let ends = [
        (clearing("10", true)?, TransactionState::Completed),
        (FollowUp::Reversal { amount: None }, TransactionState::NothingCleared),
    ];
    for (number, (message, state)) in (1..).zip(ends) {
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "10")?).await)?;
        expect_new(handle.cards.follow_up(follow_up(Who::Main, token(number), number + 10, message)?).await)?;
        let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(number)).await?)?;
        same("the state of the first message", (seen.first.state, seen.named_message.1), (state, state))?;
        let last = expect_some("the message", chain(&handle, &Who::Main.account()?, token(number + 10)).await?)?;
        same("the first message as the last one shows it", last.first, seen.first)?;
    }
    Ok(())
}

/// Clears a purchase after its reversal, and returns a debit in two parts.
async fn after_the_end(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let send = async |number, to, message| -> Result<_, Failure> {
        expect_new(handle.cards.follow_up(follow_up(Who::Main, token(to), number, message)?).await)
    };
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    send(2, 1, FollowUp::Reversal { amount: None }).await?;
    let late = send(3, 1, FollowUp::ForcedClearing { amount: amount("4")? }).await?;
    same("the late clearing", (late.impacted, late.ledger_balance), (Minor(-400), Minor(9_100)))?;
    let seen = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    let cleared = expect_some("the chain", seen.chain)?;
    same("what is cleared", (cleared.cleared, cleared.end()), (Minor(400), Some(ChainEnd::Reversed)))?;
    same("the state of the first message", seen.first.state, TransactionState::Completed)?;
    let debit = first(Who::Main, Who::Main.card(), message(FirstKind::Debit, "10")?, stamp(4))?;
    expect_new(handle.cards.first_message(debit).await)?;
    for (number, state, left) in [(5, TransactionState::Completed, 600), (6, TransactionState::Completed, 200)] {
        send(number, 4, FollowUp::DebitReversal { amount: Some(amount("4")?) }).await?;
        let seen = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(4)).await?)?;
        same("what is left", (seen.first.state, seen.chain.map(|chain| chain.cleared)), (state, Some(Minor(left))))?;
    }
    send(7, 4, FollowUp::DebitReversal { amount: None }).await?;
    let seen = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(4)).await?)?;
    let end = seen.chain.and_then(|chain| chain.end());
    same("the end", (seen.first.state, end), (TransactionState::NothingCleared, Some(ChainEnd::Reversed)))?;
    same("the balances", seen.balances, Balances::new(Minor(9_100), Minor(0), Minor(0))?)?;
    books_are_right(&handle).await
}

async fn any_message(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let advice = FollowUp::Advice { amount: amount("12")? };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, advice)?).await)?;
    let part = FollowUp::Reversal { amount: Some(amount("5")?) };
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(2), 3, part)?).await)?;
    let done = expect_new(handle.cards.follow_up(follow_up(Who::Main, token(3), 4, clearing("7", true)?)?).await)?;
    same("chain and predecessor", (done.chain, done.preceding), (token(1), Some(token(3))))?;
    same("the balance", done.ledger_balance, Minor(8_800))?;
    let account = Who::Main.account()?;
    let kinds = [MessageKind::Authorization, MessageKind::Advice, MessageKind::Reversal, MessageKind::Clearing];
    for (number, kind) in (1..).zip(kinds) {
        let seen = expect_some("a message", chain(&handle, &account, token(number)).await?)?;
        same("what is named, and its chain", (seen.named_message.0, seen.first.token), (kind, token(1)))?;
    }
    books_are_right(&handle).await
}

async fn advice_declined(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    let advice = FollowUp::Advice { amount: amount("95.01")? };
    let done = expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, advice)?).await)?;
    same("the advice", done.state, TransactionState::Declined)?;
    let after = expect_some("the advice", chain(&handle, &Who::Main.account()?, token(2)).await?)?;
    same("what is named", after.named_message, (MessageKind::Advice, TransactionState::Declined))?;
    same("the chain", (after.chain, after.first, after.balances), (before.chain, before.first, before.balances))
}

async fn follow_up_of_a_declined_message_has_no_chain(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "95.01")?).await)?;
    let refusal = refused(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, clearing("1", true)?)?).await)?;
    let (found, state) = (MessageKind::Authorization, TransactionState::Declined);
    same("the refusal", refusal, CardRefusal::WrongKind { found, state })
}

async fn follow_up_refusal(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    let too_much = FollowUp::Reversal { amount: Some(amount("10.01")?) };
    refused(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, too_much)?).await)?;
    before.still_holds("a refused follow-up", &handle).await
}

async fn unknown_token(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 2).await?;
    let command = follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?;
    absent("an unknown token", &handle.cards.follow_up(command).await)?;
    before.still_holds("a follow-up to nothing", &handle).await
}
