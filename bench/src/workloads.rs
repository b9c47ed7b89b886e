//! The workloads on PostgreSQL, each with its pgbench scripts and its requirements.

use crate::books::{AUTHORIZED, CONFIRMED, CREDITED, Counts, NOTHING};
use crate::database::Size;
use crate::report::Requirement;
use crate::requests::{Cards, RequestKind};

/// Names of the workloads with a requirement on Florin's rate compared with a peer's (see [`crate::peers`]).
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
    /// The requirement on the ratio of Florin's rate to the rate of the script.
    pub(crate) requirement: Requirement,
    /// The requirement on the ratio of Florin's rate to the rate of the script that calls the function.
    pub(crate) function_requirement: Requirement,
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
    let authorize = |name, cards, requirement, function_requirement| Workload {
        name,
        effect: AUTHORIZED,
        script: "authorize.sql",
        function: Some("authorize-function.sql"),
        kind: Kind::Cards(cards),
        requirement,
        function_requirement,
    };
    [
        Workload {
            name: "list of 100 checkouts with count",
            effect: NOTHING,
            script: "list.sql",
            function: None,
            kind: Kind::Accounts,
            requirement: Requirement::AtLeast { required: 0.8, target: 1.0 },
            function_requirement: Requirement::None,
        },
        authorize(
            SPREAD,
            spread(size),
            Requirement::AtLeast { required: 3.0, target: 4.0 },
            Requirement::AtLeast { required: 1.0, target: 1.7 },
        ),
        authorize(HOT, hot(size), Requirement::AtLeast { required: 10.0, target: 14.0 }, Requirement::None),
        Workload {
            name: "confirm a batch",
            effect: CONFIRMED,
            script: "confirm.sql",
            function: Some("confirm-function.sql"),
            kind: Kind::Batches,
            requirement: Requirement::AtLeast { required: 3.7, target: 5.0 },
            function_requirement: Requirement::None,
        },
        Workload {
            name: "credit a budget",
            effect: CREDITED,
            script: "credit.sql",
            function: None,
            kind: Kind::Budgets(size.budgets),
            requirement: Requirement::None,
            function_requirement: Requirement::None,
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
    /// Returns the kind of the requests of one round. `batches` are the numbers of the first and the last prepared
    /// batch.
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
