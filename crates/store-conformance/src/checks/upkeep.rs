//! Readiness, and the audit of good data.

use crate::check::{Proof, checks};
use crate::commands::{RIGHT, SANDBOX, amount, clearing, confirm, credit, expiry, follow_up, open, purchase, token};
use crate::expect::{fresh, same};
use crate::factory::Handle;
use crate::world::{Who, gbp, noon, seeded};
use chrono::TimeDelta;
use florin_domain::card::decide::FollowUp;
use florin_ports::{AuditReport, Readiness};

checks! {
    "upkeep.readiness.is_ready" => ready,
    "audit.of_an_empty_store" => empty,
    "audit.counts_and_finds_nothing_on_good_data" => good_data,
}

async fn ready(handle: Handle) -> Proof {
    same("readiness", handle.upkeep.readiness().await?, Readiness::Ready)
}

async fn empty(handle: Handle) -> Proof {
    same("the report", handle.audit.audit().await?, AuditReport::default())
}

async fn good_data(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let seeded = AuditReport { journal_transactions: 6, balances: 6, discrepancies: vec![] };
    same("the report of the seeded world", handle.audit.audit().await?, seeded)?;
    for number in 1..=4 {
        fresh(handle.cards.first_message(purchase(Who::Mine, number, "10")?).await)?;
    }
    fresh(handle.cards.follow_up(follow_up(Who::Mine, token(1), 11, clearing("12", true)?)?).await)?;
    let part = FollowUp::Reversal { amount: Some(amount("3")?) };
    fresh(handle.cards.follow_up(follow_up(Who::Mine, token(2), 12, part)?).await)?;
    let due = noon() + TimeDelta::days(8);
    same("expired", handle.cards.expire(expiry(Who::Mine, token(3), 13, due)?).await?, true)?;
    fresh(handle.credits.credit(credit(Who::Other, 14, "3", gbp()?)?).await)?;
    fresh(handle.mfa.open(open(Who::Mine, 1, SANDBOX)?).await)?;
    fresh(handle.batches.confirm(confirm(Who::Mine, 1, 15, (SANDBOX, RIGHT))?).await)?;
    let report = AuditReport { journal_transactions: 6 + 4 + 3 + 1 + 2, balances: 6, discrepancies: vec![] };
    same("the report", handle.audit.audit().await?, report)
}
