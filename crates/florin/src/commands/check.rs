//! `florin check`

use super::Context;
use crate::cells::Stores;
use crate::output;
use crate::progress::{Progress, ProgressFlag, percent};
use anyhow::Context as _;
use florin_domain::books::{BrokenLink, BrokenLinkReason};
use florin_domain::ids::AccountId;
use florin_domain::ledger::HashChain;
use florin_ports::{BooksCheckProgress, BooksCheckStep, BooksReport, Discrepancy};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of a check.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    progress: ProgressFlag,
}

/// JSON representation of a report on the books.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    ok: bool,
    journal_transactions: i64,
    balances: i64,
    discrepancies: Vec<Finding>,
}

/// A discrepancy, with its cell.
#[derive(Serialize)]
struct Finding {
    /// The name of the cell; absent without cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<String>,
    #[serde(flatten)]
    line: Line,
}

/// A discrepancy.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
enum Line {
    /// Legs of a journal transaction are missing or contradict each other.
    Legs { journal_id: String },
    /// A balance differs from the sum of its postings.
    Balance { budget_id: String, currency_code: &'static str },
    /// A held amount differs from the sum of the open holds.
    Holds { budget_id: String, currency_code: &'static str },
    /// A reserved amount differs from the unpaid amount of payment batches.
    Reservations { budget_id: String, currency_code: &'static str },
    /// A checkpoint of a balance differs from the sum of the postings that it covers.
    Checkpoint { budget_id: String, currency_code: &'static str },
    /// The stored count of checkouts is wrong.
    CheckoutCount { account_id: String },
    /// A stored count of cards, budgets, people or merchant payments is wrong.
    ListCount { account_id: String },
    /// Lists of merchant payments contradict sessions or refunds.
    ListedPayments { account_id: String },
    /// Two events of an object have the same sequence, or an event is beyond the last sequence of its object.
    Sequence { object_id: String },
    /// A row of a table refers to a row that does not exist, or contains an unknown name.
    Constraint { table: &'static str },
    /// The journal or the disputed chain differs from a dispute.
    Dispute { dispute_id: String },
    /// The journal differs from the payments of a settlement account or payee.
    Settlement { object_id: String },
    /// The refunds of a payment exceed its amount.
    Refunds { payment_id: String },
    /// A checkout session has a wrong number of completed payments.
    Session { checkout_session_id: String },
    /// A leg in a hash chain of the journal was changed, removed or inserted.
    HashChain(ChainLine),
}

/// A violation in a hash chain.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChainLine {
    account_id: String,
    /// The balance of the chain; absent for the chain of settlements.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency_code: Option<&'static str>,
    /// The leg; absent if the chain as a whole is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
    reason: &'static str,
    #[serde(skip)]
    text: &'static str,
}

impl ChainLine {
    fn of(account: &AccountId, chain: HashChain, broken: BrokenLink) -> Self {
        let balance = match chain {
            HashChain::Balance(budget, currency) => Some((budget, currency)),
            HashChain::Settlements => None,
        };
        Self {
            account_id: account.to_string(),
            budget_id: balance.map(|(budget, _)| budget.to_string()),
            currency_code: balance.map(|(_, currency)| currency.code()),
            journal_id: broken.leg.map(|(journal, _)| journal.to_string()),
            line: broken.leg.map(|(_, line)| line),
            reason: broken.reason.as_str(),
            text: match broken.reason {
                BrokenLinkReason::NotFollowing => "legs before it are missing or were moved",
                BrokenLinkReason::Changed => "the leg was changed",
                BrokenLinkReason::OtherEnd => "legs at its end are missing or were added",
                BrokenLinkReason::Unlinked => "legs from before the chain are missing or were added",
            },
        }
    }

    fn as_text(&self) -> String {
        let chain = match (&self.budget_id, self.currency_code) {
            (Some(budget), Some(currency)) => format!("the {currency} balance of budget {budget}"),
            _ => format!("the settlements of account {}", self.account_id),
        };
        let place = match (&self.journal_id, self.line) {
            (Some(journal), Some(line)) => format!(" at line {line} of journal transaction {journal}"),
            _ => String::new(),
        };
        format!("the hash chain of {chain} is broken{place}: {}", self.text)
    }
}

impl From<&Discrepancy> for Line {
    fn from(discrepancy: &Discrepancy) -> Self {
        match discrepancy {
            Discrepancy::Legs(journal) => Line::Legs { journal_id: journal.to_string() },
            Discrepancy::Balance { budget, currency } => {
                Line::Balance { budget_id: budget.to_string(), currency_code: currency.code() }
            }
            Discrepancy::Holds { budget, currency } => {
                Line::Holds { budget_id: budget.to_string(), currency_code: currency.code() }
            }
            Discrepancy::Reservations { budget, currency } => {
                Line::Reservations { budget_id: budget.to_string(), currency_code: currency.code() }
            }
            Discrepancy::Checkpoint { budget, currency } => {
                Line::Checkpoint { budget_id: budget.to_string(), currency_code: currency.code() }
            }
            Discrepancy::CheckoutCount(account) => Line::CheckoutCount { account_id: account.to_string() },
            Discrepancy::ListCount(account) => Line::ListCount { account_id: account.to_string() },
            Discrepancy::ListedPayments(account) => Line::ListedPayments { account_id: account.to_string() },
            Discrepancy::Sequence(object) => Line::Sequence { object_id: object.to_string() },
            Discrepancy::Constraint(table) => Line::Constraint { table },
            Discrepancy::Dispute(dispute) => Line::Dispute { dispute_id: dispute.to_string() },
            Discrepancy::Settlement(object) => Line::Settlement { object_id: object.to_string() },
            Discrepancy::Refunds(payment) => Line::Refunds { payment_id: payment.to_string() },
            Discrepancy::Session(session) => Line::Session { checkout_session_id: session.to_string() },
            Discrepancy::HashChain { account, chain, broken } => {
                Line::HashChain(ChainLine::of(account, *chain, *broken))
            }
        }
    }
}

impl Report {
    /// Adds up the reports on the books of all cells.
    fn of(cells: &[(Option<String>, BooksReport)]) -> Self {
        let findings = cells.iter().flat_map(|(cell, report)| {
            report.discrepancies.iter().map(|found| Finding { cell: cell.clone(), line: Line::from(found) })
        });
        let discrepancies: Vec<_> = findings.collect();
        let sum = |count: fn(&BooksReport) -> i64| cells.iter().map(|(_, report)| count(report)).sum::<i64>();
        Self {
            ok: discrepancies.is_empty(),
            journal_transactions: sum(|report| report.journal_transactions),
            balances: sum(|report| report.balances),
            discrepancies,
        }
    }
}

pub(super) async fn run(context: &Context, stores: &Stores, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let progress = Progress::start(arguments.progress, "checking every balance");
    let mut reports = Vec::new();
    for (cell, store) in stores.each() {
        let cell = cell.map(ToString::to_string);
        let of_cell = || format!("cannot check cell {}", cell.as_deref().unwrap_or_default());
        let checked = store.watch_check_all(step_reporter(&progress, cell.as_deref())).await;
        let report = if cell.is_some() { checked.with_context(of_cell)? } else { checked? };
        reports.push((cell, report));
    }
    let report = Report::of(&reports);
    progress.step(format!("{} journal transactions", report.journal_transactions));
    drop(progress);
    stores.warn_of_differences().await;
    output::print_json_or_text(context.json, &report, || as_text(&report))?;
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a function that shows each step of the check, with its cell.
fn step_reporter(progress: &Progress, cell: Option<&str>) -> BooksCheckProgress {
    let counter = progress.counter();
    let of_cell = cell.map_or_else(String::new, |cell| format!(" of cell {cell}"));
    Arc::new(move |step| counter.step(format!("{}{of_cell}", text_of(step))))
}

/// Returns a step of a check as progress shows it.
fn text_of(step: BooksCheckStep) -> String {
    match step {
        BooksCheckStep::Structure => "structure of the database".to_owned(),
        BooksCheckStep::Sums => "sums of the journal".to_owned(),
        BooksCheckStep::HashChains { verified, all } => format!("{} % of the hash chains", percent(verified, all)),
        BooksCheckStep::Counts => "stored counts".to_owned(),
    }
}

fn as_text(report: &Report) -> String {
    let verdict = if report.ok { "Every balance matches the journal." } else { "BALANCES DO NOT MATCH THE JOURNAL." };
    let mut lines = vec![format!(
        "{verdict} Journal transactions: {}. Balances: {}.",
        report.journal_transactions, report.balances
    )];
    lines.extend(report.discrepancies.iter().map(|Finding { cell, line }| match cell {
        Some(cell) => format!("  cell {cell}: {}", describe(line)),
        None => format!("  {}", describe(line)),
    }));
    lines.join("\n")
}

fn describe(line: &Line) -> String {
    match line {
        Line::Legs { journal_id } => {
            format!("legs of journal transaction {journal_id} are missing or contradict each other")
        }
        Line::Balance { budget_id, currency_code } => {
            format!("the {currency_code} balance of budget {budget_id} differs from the sum of its postings")
        }
        Line::Holds { budget_id, currency_code } => {
            format!("the held {currency_code} amount of budget {budget_id} differs from the sum of its open holds")
        }
        Line::Reservations { budget_id, currency_code } => {
            format!("the reserved {currency_code} amount of budget {budget_id} differs from the unpaid payments")
        }
        Line::Checkpoint { budget_id, currency_code } => {
            format!("a {currency_code} checkpoint of budget {budget_id} differs from the sum of its postings")
        }
        Line::CheckoutCount { account_id } => {
            format!("the stored count of checkouts of account {account_id} is wrong")
        }
        Line::ListCount { account_id } => {
            format!("a stored count of cards, budgets, people or merchant payments of account {account_id} is wrong")
        }
        Line::ListedPayments { account_id } => {
            format!("lists of merchant payments of account {account_id} contradict their sessions or refunds")
        }
        Line::Sequence { object_id } => format!("the events of object {object_id} are not numbered by its sequence"),
        Line::Constraint { table } => {
            format!("a row of table `{table}` refers to a row that does not exist, or contains an unknown name")
        }
        Line::Dispute { dispute_id } => {
            format!("the journal or the disputed transaction differs from dispute {dispute_id}")
        }
        Line::Settlement { object_id } => {
            format!("the journal differs from the payments of settlement account or payee {object_id}")
        }
        Line::Refunds { payment_id } => format!("the refunds of payment {payment_id} exceed its amount"),
        Line::Session { checkout_session_id } => {
            format!("checkout session {checkout_session_id} has a wrong number of completed payments")
        }
        Line::HashChain(line) => line.as_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::ids::{BudgetId, CheckoutSessionId, DisputeId, JournalId, MerchantPaymentId};
    use florin_domain::money::Currency;
    use uuid::Uuid;

    #[test]
    fn a_report_names_every_discrepancy() {
        let (budget, currency) = (BudgetId(Uuid::nil()), Currency::parse("GBP").unwrap());
        let discrepancies = vec![
            Discrepancy::Legs(JournalId(Uuid::nil())),
            Discrepancy::Balance { budget, currency },
            Discrepancy::Holds { budget, currency },
            Discrepancy::Reservations { budget, currency },
            Discrepancy::Checkpoint { budget, currency },
            Discrepancy::CheckoutCount(AccountId::parse("F1").unwrap()),
            Discrepancy::ListCount(AccountId::parse("F1").unwrap()),
            Discrepancy::ListedPayments(AccountId::parse("F1").unwrap()),
            Discrepancy::Sequence(Uuid::nil()),
            Discrepancy::Constraint("card_chains"),
            Discrepancy::Dispute(DisputeId(Uuid::nil())),
            Discrepancy::Settlement(Uuid::nil()),
            Discrepancy::Refunds(MerchantPaymentId(Uuid::nil())),
            Discrepancy::Session(CheckoutSessionId(Uuid::nil())),
            Discrepancy::HashChain {
                account: AccountId::parse("F1").unwrap(),
                chain: HashChain::Balance(budget, currency),
                broken: BrokenLink { leg: Some((JournalId(Uuid::nil()), 1)), reason: BrokenLinkReason::Changed },
            },
            Discrepancy::HashChain {
                account: AccountId::parse("F1").unwrap(),
                chain: HashChain::Settlements,
                broken: BrokenLink { leg: None, reason: BrokenLinkReason::OtherEnd },
            },
        ];
        let found = BooksReport { journal_transactions: 7, balances: 3, discrepancies };
        let report = Report::of(&[(None, found)]);
        let nil = Uuid::nil().to_string();
        let expected = serde_json::json!({"ok": false, "journalTransactions": 7, "balances": 3, "discrepancies": [
            {"kind": "legs", "journalId": nil},
            {"kind": "balance", "budgetId": nil, "currencyCode": "GBP"},
            {"kind": "holds", "budgetId": nil, "currencyCode": "GBP"},
            {"kind": "reservations", "budgetId": nil, "currencyCode": "GBP"},
            {"kind": "checkpoint", "budgetId": nil, "currencyCode": "GBP"},
            {"kind": "checkoutCount", "accountId": "F1"},
            {"kind": "listCount", "accountId": "F1"},
            {"kind": "listedPayments", "accountId": "F1"},
            {"kind": "sequence", "objectId": nil},
            {"kind": "constraint", "table": "card_chains"},
            {"kind": "dispute", "disputeId": nil},
            {"kind": "settlement", "objectId": nil},
            {"kind": "refunds", "paymentId": nil},
            {"kind": "session", "checkoutSessionId": nil},
            {"kind": "hashChain", "accountId": "F1", "budgetId": nil, "currencyCode": "GBP", "journalId": nil,
                "line": 1, "reason": "changed"},
            {"kind": "hashChain", "accountId": "F1", "reason": "other_end"},
        ]});
        assert_eq!(serde_json::to_value(&report).unwrap(), expected);
        assert_eq!(as_text(&report).lines().count(), 17);
        let sound = Report::of(&[(None, BooksReport::default())]);
        assert!(sound.ok && serde_json::to_string(&sound).unwrap().contains(r#""discrepancies":[]"#));
    }

    #[test]
    fn steps_are_reported_with_their_cell() {
        let progress = Progress::silent();
        step_reporter(&progress, None)(BooksCheckStep::HashChains { verified: 3, all: 4 });
        assert_eq!(progress.counter().text(), ", 75 % of the hash chains");
        step_reporter(&progress, Some("a"))(BooksCheckStep::Counts);
        assert_eq!(progress.counter().text(), ", stored counts of cell a");
        assert_eq!(text_of(BooksCheckStep::HashChains { verified: 0, all: 0 }), "100 % of the hash chains");
    }

    #[test]
    fn the_reports_of_cells_are_added_up() {
        let report = |number, discrepancies| BooksReport { journal_transactions: number, balances: 2, discrepancies };
        let found = vec![Discrepancy::CheckoutCount(AccountId::parse("F1").unwrap())];
        let cells = [(Some("home".to_owned()), report(3, Vec::new())), (Some("a".to_owned()), report(4, found))];
        let report = Report::of(&cells);
        let expected = serde_json::json!({"ok": false, "journalTransactions": 7, "balances": 4, "discrepancies": [
            {"cell": "a", "kind": "checkoutCount", "accountId": "F1"},
        ]});
        assert_eq!(serde_json::to_value(&report).unwrap(), expected);
        assert!(as_text(&report).ends_with("\n  cell a: the stored count of checkouts of account F1 is wrong"));
    }
}
