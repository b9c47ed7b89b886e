//! Checks of failing writes of budgets, transfers, cards and limits: a failure between any two writes leaves nothing.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::claim;
use crate::expect::{expect_new, expect_true};
use crate::factory::Handle;
use crate::failing_writes::{End, FaultedCommand, end};
use crate::management::{
    budget_id, card_id, change, change_state, create_budget, issue, limit, remove_limit, replacement, transfer,
};
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, noon, seed_store};
use florin_domain::card::{CardChangeRequest, CardName, CardState, LimitWindow};

checks! {
    "injected.failure_of_any_write_of_management_leaves_nothing" (Faults) => any_write,
}

/// Number of commands that [`execute`] knows.
const COMMANDS: u8 = 8;

/// Returns whether only the management of budgets and cards writes at a place.
pub(super) fn is_ours(place: &str) -> bool {
    let tables = ["budgets", "transfers", "cards", "card_words", "card_transitions"];
    let others = ["INSERT ON balances", "INSERT ON card_limits", "DELETE ON card_limits"];
    tables.iter().any(|table| place.ends_with(&format!(" {table}"))) || others.contains(&place)
}

/// Returns whether the management of budgets and cards writes at a place.
fn is_written(place: &str) -> bool {
    let shared = ["journal_legs", "balances", "idempotency_records", "outbox_events"];
    is_ours(place)
        || place == "UPDATE ON event_sequences"
        || shared.iter().any(|table| place.ends_with(&format!(" {table}")))
}

/// Creates an active card with two limits.
async fn create_limited_card(handle: &Handle, base: u128) -> CheckResult {
    let cards = &handle.card_management;
    expect_new(cards.create(issue(Who::Main, base, Who::Main.budget(), true)?).await)?;
    for window in [LimitWindow::Day, LimitWindow::Week] {
        expect_new(cards.set_limit(limit(Who::Main, card_id(base), (window, "1", None), noon())?).await)?;
    }
    Ok(())
}

/// Executes the command with this number.
async fn execute(handle: &Handle, command: u8, base: u128) -> Result<End, Failure> {
    let (key, card, cards) = (format!("{command}-{base}"), card_id(base), &handle.card_management);
    match command {
        0 => {
            let mut command = create_budget(Who::Main, base, Some(Who::Main.budget()), vec![gbp()?])?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.budgets.create(command).await)
        }
        1 => {
            let ends = (Who::Main.budget(), Who::Main.second_budget());
            let mut command = transfer(Who::Main, base, ends, "0.01")?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.transfers.transfer(command).await)
        }
        2 => {
            let mut command = issue(Who::Main, base + 1, Who::Main.budget(), false)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.create(command).await)
        }
        3 => {
            let mut command = change_state(Who::Main, card, CardState::Suspended, "lost")?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.change(command).await)
        }
        4 => {
            let mut command = limit(Who::Main, card, (LimitWindow::Day, "2", Some(2)), noon())?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.set_limit(command).await)
        }
        5 => {
            let request = CardChangeRequest {
                name: Some(CardName::parse("Other")?),
                ..CardChangeRequest::nothing(Who::Main.client(), noon())
            };
            let mut command = change(Who::Main, card, request)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.change(command).await)
        }
        6 => {
            let mut command = replacement(Who::Main, card, base + 2)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.replace(command).await)
        }
        _ => {
            let mut command = remove_limit(Who::Main, card, LimitWindow::Week)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(cards.remove_limit(command).await)
        }
    }
}

async fn any_write(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let Some(faults) = handle.faults.clone() else { return Ok(()) };
    let places = faults.places().into_iter().filter(|place| is_written(place));
    for (base, place) in (1..).map(|number| number * 10).zip(places) {
        create_limited_card(&handle, base).await?;
        let mut failed = 0;
        for command in 0..COMMANDS {
            let before = Observation::of_accounts(&handle, &[Who::Main], 0..=0).await?;
            faults.arm(&place).await?;
            let ended = execute(&handle, command, base).await;
            faults.disarm().await?;
            let faulted = FaultedCommand { name: format!("command {command}"), has_key: true, expected: End::Effect };
            if faulted.failed(ended?, &place)? {
                before.still_holds(&format!("command {command}, which failed at `{place}`,"), &handle).await?;
                failed += 1;
                faulted.works_again(execute(&handle, command, base).await?, &place)?;
            }
        }
        expect_true(&format!("no command failed at `{place}`"), failed > 0)?;
        let made = handle.budgets.find(&Who::Main.account()?, budget_id(base)).await?;
        expect_true("a created budget can't be read", made.is_some())?;
    }
    books_are_right(&handle).await
}
