//! The workloads.

use crate::books::{AUTHORIZED, CONFIRMED, CREDITED, Counts, NOTHING};
use crate::database::Size;
use crate::report::Rule;
use crate::requests::{Cards, RequestKind};

/// Names of the workloads whose requirements depend on the contender.
pub(crate) const SPREAD: &str = "authorize, 1,000 budgets";
pub(crate) const HOT: &str = "authorize, one hot budget";

/// A kind of request, and the same work in SQL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The effect of one request on the store.
    pub(crate) effect: Counts,
    /// The pgbench script.
    pub(crate) script: &'static str,
    /// The pgbench script that calls a function, if there is one.
    pub(crate) function: Option<&'static str>,
    pub(crate) kind: Kind,
    /// The requirement against the script.
    pub(crate) rule: Rule,
    /// The requirement against the function.
    pub(crate) function_rule: Rule,
}

/// The object that varies between requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// One of these cards.
    Cards(Cards),
    /// One of this number of budgets.
    Budgets(u64),
    /// A separate batch for each request.
    Batches,
    /// One of the accounts.
    Accounts,
    /// This account.
    Account(u64),
}

/// Returns all workloads on PostgreSQL.
pub(crate) fn workloads(size: Size) -> [Workload; 5] {
    let authorize = |name, cards, rule, function_rule| Workload {
        name,
        effect: AUTHORIZED,
        script: "authorize.sql",
        function: Some("authorize-function.sql"),
        kind: Kind::Cards(cards),
        rule,
        function_rule,
    };
    [
        Workload {
            name: "list of 100 checkouts with count",
            effect: NOTHING,
            script: "list.sql",
            function: None,
            kind: Kind::Accounts,
            rule: Rule::AtLeast(0.8, 1.0),
            function_rule: Rule::Free,
        },
        authorize(SPREAD, spread(size), Rule::AtLeast(3.0, 4.0), Rule::AtLeast(1.0, 1.7)),
        authorize(HOT, hot(size), Rule::AtLeast(10.0, 14.0), Rule::Free),
        Workload {
            name: "confirm a batch",
            effect: CONFIRMED,
            script: "confirm.sql",
            function: Some("confirm-function.sql"),
            kind: Kind::Batches,
            rule: Rule::AtLeast(3.7, 5.0),
            function_rule: Rule::Free,
        },
        Workload {
            name: "credit a budget",
            effect: CREDITED,
            script: "credit.sql",
            function: None,
            kind: Kind::Budgets(size.budgets),
            rule: Rule::Free,
            function_rule: Rule::Free,
        },
    ]
}

/// All cards.
pub(crate) fn spread(size: Size) -> Cards {
    Cards { first: 1, step: 1, span: size.cards }
}

/// The cards of one budget.
fn hot(size: Size) -> Cards {
    Cards { first: 1, step: size.budgets, span: size.cards / size.budgets }
}

impl Workload {
    /// Returns the kind of the requests of one round, which use the prepared `batches`.
    pub(crate) fn request_kind(&self, batches: Option<(u64, u64)>) -> RequestKind {
        match (self.kind, batches) {
            (Kind::Cards(cards), _) => RequestKind::Authorize(cards),
            (Kind::Budgets(budgets), _) => RequestKind::Credit(budgets),
            (Kind::Batches, batches) => {
                let (first, last) = batches.unwrap_or((1, 0));
                RequestKind::Confirm(first, last)
            }
            (Kind::Accounts, _) => RequestKind::List(0, 9),
            (Kind::Account(account), _) => RequestKind::List(account, account),
        }
    }

    /// Whether each request needs a separate batch.
    pub(crate) fn takes_batches(&self) -> bool {
        matches!(self.kind, Kind::Batches)
    }

    /// Returns the variables of the scripts.
    pub(crate) fn variables(&self) -> Vec<(&'static str, u64)> {
        match self.kind {
            Kind::Cards(cards) => vec![("first", cards.first), ("step", cards.step), ("span", cards.span)],
            Kind::Budgets(budgets) => vec![("span", budgets)],
            Kind::Batches | Kind::Accounts | Kind::Account(_) => Vec::new(),
        }
    }
}
