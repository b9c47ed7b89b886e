//! Checks of disputes of card transactions.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{answer_of, claim, clearing, first, follow_up, message, purchase, stamp, token};
use crate::disputes::{act_on_dispute, dispute_id, evidence, open_dispute};
use crate::expect::{absent, dry_run, expect_new, expect_some, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right, chain};
use crate::seed_data::{Who, seed_store};
use crate::together::{Work, race};
use florin_domain::activity::{ActivityFilter, ActivityStatus, ActivityType};
use florin_domain::card::decide::{DisputeRefusal, FirstKind};
use florin_domain::card::{Dispute, DisputeAction, DisputeFilter, DisputeOutcome, DisputeReason, DisputeStatus};
use florin_domain::ids::TransactionToken;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{DisputeCommand, Mode, OpenDisputeCommand, WriteError, Written};

checks! {
    "disputes.open.stores_every_member" => stores_every_member,
    "disputes.open.of_100_on_10_pounds_exactly_10_pass" => open_of_100_on_10_pounds_exactly_10_pass,
    "disputes.open.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "disputes.act.stores_the_whole_decision" => stores_the_whole_decision,
    "disputes.act.refusal_stores_nothing" => refusal_stores_nothing,
    "disputes.act.keeps_every_text_of_evidence_in_order" => keeps_every_text_of_evidence_in_order,
    "disputes.list.by_each_filter_newest_first_in_pages" => list_by_each_filter_newest_first_in_pages,
    "disputes.activity.by_type_and_status" => activity_by_type_and_status,
    "disputes.dry_run.changes_nothing" => changes_nothing,
    "tenancy.disputes.of_one_account_only" => disputes_of_one_account_only,
}

const PAGE: PageRequest = PageRequest { limit: 100, offset: 0 };
const LOST: DisputeAction = DisputeAction::Resolve(DisputeOutcome::Lost);
const WON: DisputeAction = DisputeAction::Resolve(DisputeOutcome::Won);

/// Clears purchase `number` of 10.00, and returns the token of its clearing, `number + 1`.
async fn create_purchase(handle: &Handle, who: Who, number: u128) -> Result<TransactionToken, Failure> {
    expect_new(handle.cards.first_message(purchase(who, number, "10")?).await)?;
    let clearing = follow_up(who, token(number), number + 1, clearing("10", true)?)?;
    Ok(expect_new(handle.cards.follow_up(clearing).await)?.token)
}

async fn open(handle: &Handle, of: TransactionToken, text: &str, number: u128) -> Result<Dispute, Failure> {
    Ok(expect_new(handle.disputes.open(open_dispute(Who::Main, of, text, number)?).await)?.dispute)
}

async fn step(handle: &Handle, dispute: u128, action: DisputeAction, number: u128) -> Result<Dispute, Failure> {
    Ok(expect_new(handle.disputes.act(act_on_dispute(Who::Main, dispute, action, number)?).await)?.dispute)
}

async fn find(handle: &Handle, number: u128) -> Result<Dispute, Failure> {
    expect_some("the dispute", handle.disputes.find(&Who::Main.account()?, dispute_id(number)).await?)
}

async fn claimed_amount(handle: &Handle, of: TransactionToken) -> Result<Minor, Failure> {
    let seen = expect_some("the transaction", chain(handle, &Who::Main.account()?, of).await?)?;
    Ok(expect_some("its chain", seen.chain)?.disputed)
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    let done = open(&handle, clearing, "4", 10).await?;
    same("the transaction", (done.transaction, done.chain, done.card), (clearing, token(1), Who::Main.card()))?;
    same("the terms", (done.amount, done.reason), (Minor(400), DisputeReason::NotReceived))?;
    same("what is found", find(&handle, 10).await?, done)?;
    same("what is claimed", claimed_amount(&handle, clearing).await?, Minor(400))?;
    let refusal = refused(handle.disputes.open(open_dispute(Who::Main, clearing, "6.01", 11)?).await)?;
    let is_above = matches!(refusal, DisputeRefusal::ExceedsUndisputed { rest } if rest.minor == Minor(600));
    same("what is left", is_above, true)?;
    books_are_right(&handle).await
}

async fn open_of_100_on_10_pounds_exactly_10_pass(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    let mut works: Vec<Work<_>> = Vec::new();
    for number in 100..200 {
        let (command, disputes) = (open_dispute(Who::Main, clearing, "1", number)?, handle.disputes.clone());
        works.push(Box::pin(async move { disputes.open(command).await }));
    }
    let mut passed = 0;
    for answer in race(works).await? {
        match answer {
            Ok(Written::New(_)) => passed += 1,
            Err(WriteError::Refused(DisputeRefusal::ExceedsUndisputed { .. })) => {}
            other => return Err(Failure::new(format!("neither opened nor refused: {other:?}"))),
        }
    }
    same("the number of opened disputes", passed, 10)?;
    same("what is claimed", claimed_amount(&handle, clearing).await?, Minor(1_000))?;
    books_are_right(&handle).await
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    let command = || -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(OpenDisputeCommand { claim, ..open_dispute(Who::Main, clearing, "4", 10)? })
    };
    let done = expect_new(handle.disputes.open(command()?).await)?;
    same("the stored response", replayed(handle.disputes.open(command()?).await)?, answer_of(&done))?;
    let credit = || -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, "c", "{}")?);
        Ok(DisputeCommand { claim, ..act_on_dispute(Who::Main, 10, DisputeAction::Credit, 20)? })
    };
    let done = expect_new(handle.disputes.act(credit()?).await)?;
    same("the stored response", replayed(handle.disputes.act(credit()?).await)?, answer_of(&done))?;
    same("what is claimed", claimed_amount(&handle, clearing).await?, Minor(400))
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    open(&handle, clearing, "4", 10).await?;
    let credit = expect_new(handle.disputes.act(act_on_dispute(Who::Main, 10, DisputeAction::Credit, 20)?).await)?;
    let message = expect_some("the message", credit.transaction)?;
    same("the effect", (message.token, message.impacted), (token(20), Minor(400)))?;
    same("the dispute", find(&handle, 10).await?, credit.dispute)?;
    let end = expect_new(handle.disputes.act(act_on_dispute(Who::Main, 10, LOST, 30)?).await)?;
    let found = find(&handle, 10).await?;
    same("the end", (found.state.status(), found.state.settlement()), (DisputeStatus::Lost, Some(token(30))))?;
    same("the dispute", &found, &end.dispute)?;
    same("what is claimed", claimed_amount(&handle, clearing).await?, Minor::ZERO)?;
    let history = handle.chains.history(&Who::Main.account()?, token(30)).await?;
    let history = expect_some("the history", history)?;
    let messages: Vec<_> = history.messages.iter().map(|message| message.transaction.clone()).collect();
    let expected = expect_some("the message", end.transaction)?;
    same("the chain of the dispute", (messages.len(), history.journal.len()), (2, 2))?;
    same("its end", messages.last(), Some(&expected))?;
    same("its link", messages.first().and_then(|first| first.details.dispute), expected.details.dispute)?;
    books_are_right(&handle).await
}

async fn refusal_stores_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    open(&handle, clearing, "4", 10).await?;
    step(&handle, 10, DisputeAction::Credit, 20).await?;
    step(&handle, 10, WON, 30).await?;
    let before = Observation::take(&handle, 60).await?;
    for action in [LOST, WON, DisputeAction::Credit, evidence("late")?] {
        let refusal = refused(handle.disputes.act(act_on_dispute(Who::Main, 10, action, 40)?).await)?;
        same("the refusal", refusal, DisputeRefusal::NotOpen(DisputeStatus::Won))?;
    }
    refused(handle.disputes.open(open_dispute(Who::Main, token(1), "6.01", 50)?).await)?;
    before.still_holds("refused commands", &handle).await
}

async fn keeps_every_text_of_evidence_in_order(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    open(&handle, clearing, "4", 10).await?;
    let texts = [" a ", "ž\" ✓", "x'; --", "a\nb", "a"];
    for (number, text) in (20..).zip(texts) {
        step(&handle, 10, evidence(text)?, number).await?;
    }
    let found = find(&handle, 10).await?;
    let kept: Vec<_> = found.evidence.iter().map(|evidence| evidence.text.as_str()).collect();
    same("the texts", kept, texts.to_vec())?;
    same("the last change", Some(found.updated_at), found.evidence.last().map(|last| last.created_at))
}

async fn list_by_each_filter_newest_first_in_pages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let one = create_purchase(&handle, Who::Main, 1).await?;
    let debit = first(Who::Main, Who::Main.limited_card(), message(FirstKind::Debit, "2")?, stamp(3))?;
    let debit = expect_new(handle.cards.first_message(debit).await)?.token;
    for (of, text, number) in [(one, "1", 10), (token(1), "2", 11), (debit, "0.50", 12), (one, "3", 13)] {
        open(&handle, of, text, number).await?;
    }
    step(&handle, 10, WON, 20).await?;
    step(&handle, 11, LOST, 21).await?;
    let numbers = async |filter: DisputeFilter, page| {
        let found = handle.disputes.list(&mine, filter, page).await?;
        let ids: Vec<_> = found.rows.iter().map(|dispute| dispute.id).collect();
        Ok::<_, Failure>((found.count, ids))
    };
    let expected = |numbers: &[u128]| {
        let ids: Vec<_> = numbers.iter().map(|number| dispute_id(*number)).collect();
        (i64::try_from(ids.len()).unwrap_or_default(), ids)
    };
    let filter = DisputeFilter::default;
    for (filter, of) in [
        (filter(), &[13, 12, 11, 10][..]),
        (DisputeFilter { card: Some(Who::Main.limited_card()), ..filter() }, &[12]),
        (DisputeFilter { statuses: vec![DisputeStatus::Won, DisputeStatus::Lost], ..filter() }, &[11, 10]),
        (DisputeFilter { statuses: vec![DisputeStatus::Open], ..filter() }, &[13, 12]),
        (DisputeFilter { transaction: Some(one), ..filter() }, &[13, 10]),
        (DisputeFilter { transaction: Some(token(1)), ..filter() }, &[13, 11, 10]),
        (DisputeFilter { transaction: Some(token(99)), ..filter() }, &[]),
    ] {
        same(&format!("{filter:?}"), numbers(filter.clone(), PAGE).await?, expected(of))?;
    }
    let (_, second) = expected(&[11, 10]);
    same("the second page", numbers(filter(), PageRequest { limit: 2, offset: 2 }).await?, (4, second))
}

async fn activity_by_type_and_status(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    for number in 10..14 {
        open(&handle, clearing, "1", number).await?;
    }
    for (dispute, action, number) in [
        (10, DisputeAction::Credit, 20),
        (11, DisputeAction::Credit, 21),
        (11, WON, 22),
        (12, DisputeAction::Credit, 23),
        (12, LOST, 24),
        (13, WON, 25),
    ] {
        step(&handle, dispute, action, number).await?;
    }
    for (status, expected) in [
        (ActivityStatus::Pending, vec![20]),
        (ActivityStatus::Complete, vec![25, 21]),
        (ActivityStatus::Reverted, vec![23]),
        (ActivityStatus::Declined, vec![]),
    ] {
        let filter = ActivityFilter {
            kinds: vec![ActivityType::Chargeback],
            statuses: vec![status],
            ..ActivityFilter::default()
        };
        let found = handle.activities.list(&Who::Main.account()?, filter, PAGE).await?;
        let ids: Vec<_> = found.rows.iter().map(|row| (row.id.0, row.status)).collect();
        let expected: Vec<_> = expected.into_iter().map(|number: u128| (token(number).0, status)).collect();
        same(
            &format!("{status:?}"),
            (found.count, ids),
            (i64::try_from(expected.len()).unwrap_or_default(), expected),
        )?;
    }
    Ok(())
}

async fn changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    open(&handle, clearing, "4", 10).await?;
    let before = Observation::take(&handle, 60).await?;
    let new = OpenDisputeCommand { mode: Mode::DryRun, ..open_dispute(Who::Main, clearing, "1", 11)? };
    let run = dry_run(handle.disputes.open(new).await)?;
    same("the amount", (run.done.dispute.amount, run.journal.len()), (Minor(100), 0))?;
    for (action, postings) in [(DisputeAction::Credit, 1), (WON, 1), (LOST, 0), (evidence("x")?, 0)] {
        let command = DisputeCommand { mode: Mode::DryRun, ..act_on_dispute(Who::Main, 10, action, 20)? };
        let run = dry_run(handle.disputes.act(command).await)?;
        same("the journal", (run.journal.len(), run.balances.len()), (postings, postings))?;
    }
    before.still_holds("dry runs of disputes", &handle).await
}

async fn disputes_of_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let clearing = create_purchase(&handle, Who::Main, 1).await?;
    open(&handle, clearing, "4", 10).await?;
    let before = Observation::take(&handle, 60).await?;
    absent("a transaction", &handle.disputes.open(open_dispute(Who::Other, clearing, "1", 11)?).await)?;
    for action in [DisputeAction::Credit, WON, LOST, evidence("x")?] {
        absent("a dispute", &handle.disputes.act(act_on_dispute(Who::Other, 10, action, 20)?).await)?;
    }
    let other = Who::Other.account()?;
    same("a foreign dispute", handle.disputes.find(&other, dispute_id(10)).await?, None)?;
    same("foreign disputes", handle.disputes.list(&other, DisputeFilter::default(), PAGE).await?.count, 0)?;
    before.still_holds("what was tried on foreign disputes", &handle).await
}
