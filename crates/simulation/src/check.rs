//! Checks of the store after a run.

use crate::clients::{Kind, KnownOutcome, Request};
use crate::initial_state::{OPENING, budget, initial_state, pounds};
use crate::instance::Ports;
use florin_domain::activity::{Activity, ActivityDetail, ActivityFilter, ActivityType};
use florin_domain::batch::{Payment, PaymentBatchStatus, PaymentFilter, PaymentOutcome, PaymentStatus};
use florin_domain::card::MessageKind;
use florin_domain::ids::PaymentBatchId;
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{BatchReading, BooksCheck, Seeding, StoreError};

type Checked<T = ()> = Result<T, String>;

/// Checks the books, and compares the store with the answers that the clients received.
pub(crate) async fn check(ports: &Ports, requests: &[Request]) -> Checked {
    let report = ports.store.check_all().await.map_err(|error| failed(&error))?;
    if !report.discrepancies.is_empty() {
        return Err(format!("the books are wrong: {:?}", report.discrepancies));
    }
    let rows = rows(ports).await?;
    for request in requests {
        compare(request, &rows)?;
    }
    expired(&rows)?;
    let mut paid = 0;
    for request in requests {
        if let Kind::Confirmation(batch) = request.kind {
            paid += processed(ports, initial_state().batches[batch]).await?;
        }
    }
    balances(ports, &rows, paid).await
}

fn failed(error: &StoreError) -> String {
    format!("the store cannot be read: {error}")
}

async fn rows(ports: &Ports) -> Checked<Vec<Activity>> {
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, offset: 0 };
    let page = ports.services.activities.list(&initial_state().account.id, ActivityFilter::default(), page).await;
    Ok(page.map_err(|error| failed(&error))?.rows)
}

/// Returns the number of effects of a request that moves or holds money.
#[cfg(test)]
pub(crate) async fn effects(ports: &Ports, request: &Request) -> Checked<usize> {
    Ok(count(request, &rows(ports).await?))
}

fn count(request: &Request, rows: &[Activity]) -> usize {
    let kind = match request.kind {
        Kind::Credit => ActivityType::Deposit,
        Kind::Transfer => ActivityType::Unload,
        Kind::Authorization => ActivityType::Card,
        Kind::Confirmation(_) => ActivityType::BatchPayment,
    };
    rows.iter().filter(|row| row.kind == kind && requested(row) == Minor(request.amount)).count()
}

/// The requested amount. For a card it is the amount of the first message, because an expired hold has no amount.
fn requested(row: &Activity) -> Minor {
    match &row.detail {
        ActivityDetail::Card(chain) => chain.first.requested,
        _ => row.amount,
    }
}

/// Checks that an acknowledged request had one effect, a failed request no effect, and a request with an unknown
/// outcome at most one effect.
fn compare(request: &Request, rows: &[Activity]) -> Checked {
    if request.has_key {
        acknowledged(request)?;
    }
    if let Kind::Confirmation(_) = request.kind {
        // Checked with its batch.
        return Ok(());
    }
    let found = count(request, rows);
    let expected = match request.known {
        KnownOutcome::Acknowledged => 1..=1,
        KnownOutcome::NoEffect | KnownOutcome::NotSent => 0..=0,
        KnownOutcome::Unknown | KnownOutcome::Sent(_) => 0..=1,
    };
    if expected.contains(&found) { Ok(()) } else { Err(format!("{found} effects of {request:?}")) }
}

fn acknowledged(request: &Request) -> Checked {
    if request.is_acknowledged() { Ok(()) } else { Err(format!("never acknowledged: {request:?}")) }
}

/// Checks that every hold expired once.
fn expired(rows: &[Activity]) -> Checked {
    for row in rows {
        if let ActivityDetail::Card(chain) = &row.detail {
            let count = chain.follow_ups.iter().filter(|message| message.kind == MessageKind::Expiry).count();
            if count != 1 {
                return Err(format!("the hold of {} expired {count} times", chain.first.token));
            }
        }
    }
    Ok(())
}

/// Checks that a batch is completed, and that each payment has the outcome that the bank reports. Returns the sum that
/// was paid and not returned, in minor units.
async fn processed(ports: &Ports, id: PaymentBatchId) -> Checked<i64> {
    let content = ports.store.content(&initial_state().account.id, id, PaymentFilter::default()).await;
    let content = content.map_err(|error| failed(&error))?.ok_or("a batch is gone")?;
    let status = content.batch.status();
    if status != PaymentBatchStatus::Completed {
        return Err(format!("batch {id} is {status:?} in the end"));
    }
    let mut paid = 0;
    for payment in &content.payments {
        paid += outcome(ports, payment).await?;
    }
    Ok(paid)
}

async fn outcome(ports: &Ports, payment: &Payment) -> Checked<i64> {
    let report = ports.processing.rail.ask(&payment.account, payment.id).await;
    let Ok(Some(report)) = report else { return Err(format!("the bank does not know payment {}", payment.id)) };
    let expected = match report.outcome {
        PaymentOutcome::Completed => PaymentStatus::Completed,
        PaymentOutcome::Failed(_) => PaymentStatus::Failed,
        PaymentOutcome::Returned(_) => PaymentStatus::Returned,
        PaymentOutcome::Pending => return Err(format!("the bank still processes payment {}", payment.id)),
    };
    if payment.status() != expected {
        return Err(format!("payment {} is {:?}, not {expected:?}", payment.id, payment.status()));
    }
    let amount = payment.terms().map_or(0, |terms| terms.amount.0);
    Ok(if expected == PaymentStatus::Completed { amount } else { 0 })
}

/// Checks that the balances follow from the effects.
async fn balances(ports: &Ports, rows: &[Activity], paid: i64) -> Checked {
    let sum = |kind| rows.iter().filter(|row| row.kind == kind).map(|row| row.amount.0).sum::<i64>();
    // The opening credits are in the list, too.
    let credited = sum(ActivityType::Deposit) - 2 * OPENING;
    let moved = sum(ActivityType::Unload);
    let stored = ports.store.budgets(&initial_state().account.id).await.map_err(|error| failed(&error))?;
    for (number, expected) in [(0, OPENING + credited - moved - paid), (1, OPENING + moved)] {
        let found = stored.iter().find(|found| found.id == budget(number));
        let found = found.and_then(|found| found.in_currency(pounds()));
        if found != Balances::new(Minor(expected), Minor(0), Minor(0)).ok() {
            return Err(format!("budget {number} holds {found:?} instead of {expected}"));
        }
    }
    Ok(())
}
