//! Checks of the hash chains of the journal: each leg is the next link of the chains of its balances.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_checkout, add_paid_session, add_refund, approval, refund_step};
use crate::commands::{clearing, credit, follow_up, purchase, token};
use crate::expect::{dry_run, expect_new, expect_true, same};
use crate::factory::Handle;
use crate::management::transfer;
use crate::payments::after;
use crate::seed_data::{Who, gbp, seed_account, seed_store};
use florin_domain::checkout::RefundAction;
use florin_domain::ledger::{HashChain, JournalTransaction, Link};
use florin_ports::{CreditCommand, FirstMessageCommand, FollowUpCommand, Mode, RefundCommand, TransferCommand};
use std::collections::BTreeMap;

checks! {
    "books.chains.continue_with_every_leg" => every_leg,
    "books.chains.include_settlements" => include_settlements,
}

/// The last link of each chain that has one.
type Ends = BTreeMap<HashChain, Link>;

/// Verifies the chains of my account, and returns their ends.
async fn ends(handle: &Handle) -> Result<Ends, Failure> {
    let books = handle.books.books(&Who::Main.account()?).await?;
    let broken: Vec<_> = books.broken_chains().collect();
    expect_true(&format!("broken chains: {broken:?}"), broken.is_empty())?;
    let ends = books.chains.into_iter().map(|((_, chain), books)| (chain, books.stated));
    Ok(ends.filter(|(_, link)| *link != Link::default()).collect())
}

/// Appends transactions to the chains that they continue.
fn append<'a>(ends: &mut Ends, journal: impl IntoIterator<Item = &'a JournalTransaction>) {
    for line in journal.into_iter().flat_map(JournalTransaction::lines) {
        let chains = line.chains();
        let links = line.links(chains.map(|chain| Some(ends.get(&chain?).copied().unwrap_or_default())));
        ends.extend(chains.into_iter().zip(links).filter_map(|(chain, link)| chain.zip(link)));
    }
}

async fn every_leg(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut expected = Ends::new();
    append(&mut expected, seed_account(Who::Main, 9_500)?.budgets.iter().flat_map(|seed| &seed.journal));
    same("the ends after seeding", ends(&handle).await?, expected.clone())?;

    let first = |mode| Ok::<_, Failure>(FirstMessageCommand { mode, ..purchase(Who::Main, 1, "10")? });
    append(&mut expected, &dry_run(handle.cards.first_message(first(Mode::DryRun)?).await)?.journal);
    expect_new(handle.cards.first_message(first(Mode::Commit)?).await)?;
    same("the ends after an authorization", ends(&handle).await?, expected.clone())?;

    // It clears less than the hold, so it has two legs.
    let cleared = |mode| {
        let command = follow_up(Who::Main, token(1), 2, clearing("8", true)?)?;
        Ok::<_, Failure>(FollowUpCommand { mode, ..command })
    };
    append(&mut expected, &dry_run(handle.cards.follow_up(cleared(Mode::DryRun)?).await)?.journal);
    expect_new(handle.cards.follow_up(cleared(Mode::Commit)?).await)?;
    same("the ends after a clearing", ends(&handle).await?, expected.clone())?;

    let credited = |mode| Ok::<_, Failure>(CreditCommand { mode, ..credit(Who::Main, 3, "1.25", gbp()?)? });
    append(&mut expected, &dry_run(handle.credits.credit(credited(Mode::DryRun)?).await)?.journal);
    expect_new(handle.credits.credit(credited(Mode::Commit)?).await)?;

    let budgets = (Who::Main.budget(), Who::Main.second_budget());
    let sent = |mode| Ok::<_, Failure>(TransferCommand { mode, ..transfer(Who::Main, 4, budgets, "20.05")? });
    append(&mut expected, &dry_run(handle.transfers.transfer(sent(Mode::DryRun)?).await)?.journal);
    expect_new(handle.transfers.transfer(sent(Mode::Commit)?).await)?;
    same("the ends after a transfer", ends(&handle).await?, expected)
}

async fn include_settlements(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let of_settlements = |ends: &Ends| ends.get(&HashChain::Settlements).map(|link| link.number);
    same("links before", of_settlements(&ends(&handle).await?), None)?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let payment = add_paid_session(&handle, Who::Main, checkout, 11).await?.id;
    let mut expected = ends(&handle).await?;
    same("links after a payment", of_settlements(&expected), Some(1))?;
    add_refund(&handle, Who::Main, payment, 14).await?;
    let refund = |mode| {
        let at_bank = RefundAction::AtBank(approval(after(200)));
        Ok::<_, Failure>(RefundCommand { mode, ..refund_step(Who::Main, 14, at_bank, (14, after(200)))? })
    };
    append(&mut expected, &dry_run(handle.merchant_payments.act(refund(Mode::DryRun)?).await)?.journal);
    expect_new(handle.merchant_payments.act(refund(Mode::Commit)?).await)?;
    same("links after a refund", of_settlements(&expected), Some(2))?;
    same("the ends after a refund", ends(&handle).await?, expected)
}
