//! Work on deliveries that shares a transaction: claims of deliveries, and ended attempts. Each transaction costs a
//! sync of the disk, and many subscriptions may receive the same event, so one transaction for many of them is cheaper.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::Outcome;
use super::body::job::{DeliveryJob, QueuedClaim, QueuedRecord};
use super::body::types::Id;
use super::{claims, ends};
use std::collections::BTreeSet;

/// Does work that shares a transaction: records ended attempts, then claims deliveries. Keeps the answers. A job that
/// runs alone always gets an answer.
pub(crate) fn deliver<'j>(conn: &mut Conn, jobs: impl Iterator<Item = &'j mut DeliveryJob>) -> Outcome<()> {
    let (mut claiming, mut recording) = (Vec::new(), Vec::new());
    for job in jobs {
        match job {
            DeliveryJob::Claim(task) => claiming.push(&mut **task),
            DeliveryJob::Record(task) => recording.push(&mut **task),
        }
    }
    // A job that records ended attempts and runs alone waits for the locks of their subscriptions.
    if recording.len() > 1 || !claiming.is_empty() {
        lock(conn, &mut claiming, &mut recording)?;
    }
    if !recording.is_empty() {
        let calls: Vec<_> = recording.iter().map(|task| task.work()).collect();
        let numbers = ends::record(conn, &calls)?;
        for (task, number) in recording.iter_mut().zip(numbers) {
            task.keep(Ok(number));
        }
    }
    while !claiming.is_empty() {
        // Two claims of one subscription must not take the same deliveries, so the second claim waits for the next
        // round.
        let mut webhooks = BTreeSet::new();
        let (mut first, others): (Vec<_>, Vec<_>) =
            claiming.into_iter().partition(|task| webhooks.insert(task.work().webhook));
        let commands: Vec<_> = first.iter().map(|task| task.work()).collect();
        let mut claimed = claims::claim(conn, &commands)?;
        for task in &mut first {
            let answer = claimed.remove(&task.work().webhook);
            task.keep(Ok(answer));
        }
        claiming = others;
    }
    Ok(())
}

/// Locks the subscriptions of the work before its deliveries, as everywhere. A subscription that another transaction
/// has locked does not delay the others: a claim of it takes nothing, and its ended attempts are left out, without an
/// answer.
fn lock(conn: &mut Conn, claiming: &mut Vec<&mut QueuedClaim>, recording: &mut Vec<&mut QueuedRecord>) -> Outcome<()> {
    let of_claims = claiming.iter().map(|task| task.work().webhook);
    let of_ends = recording.iter().flat_map(|task| &task.work().ends).map(|end| end.claim.webhook);
    let ids: BTreeSet<_> = of_claims.chain(of_ends).map(|webhook| Id(webhook.0)).collect();
    let locked = driver::lock_free_webhooks(conn, ids)?;
    claiming.retain_mut(|task| {
        let is_locked = locked.contains(&Id(task.work().webhook.0));
        if !is_locked {
            task.keep(Ok(None));
        }
        is_locked
    });
    recording.retain_mut(|task| {
        let are_locked = task.work().ends.iter().all(|end| locked.contains(&Id(end.claim.webhook.0)));
        if !are_locked {
            task.forget();
        }
        are_locked
    });
    Ok(())
}
