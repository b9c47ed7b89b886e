//! What is measured.

use crate::books::{AUTHORIZED, CONFIRMED, CREDITED, Counts, NOTHING};
use crate::database::Size;
use crate::report::Rule;
use crate::requests::{Ask, Cards};

/// A kind of request, and the same work in SQL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) name: &'static str,
    /// What one request does to the store.
    pub(crate) effect: Counts,
    /// The script of pgbench.
    pub(crate) script: &'static str,
    /// The script that calls a function, where there is one.
    pub(crate) function: Option<&'static str>,
    pub(crate) kind: Kind,
    /// Against the script.
    pub(crate) rule: Rule,
    /// Against the function.
    pub(crate) function_rule: Rule,
}

/// What varies from one request to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// One of these cards.
    Cards(Cards),
    /// One of so many budgets.
    Budgets(u64),
    /// A batch of its own.
    Batches,
    /// One of the accounts.
    Accounts,
    /// This account.
    Account(u64),
}

/// All works on PostgreSQL.
pub(crate) fn works(size: Size) -> [Work; 5] {
    let authorize = |name, cards, rule, function_rule| Work {
        name,
        effect: AUTHORIZED,
        script: "authorize.sql",
        function: Some("authorize-function.sql"),
        kind: Kind::Cards(cards),
        rule,
        function_rule,
    };
    [
        Work {
            name: "list of 100 checkouts with count",
            effect: NOTHING,
            script: "list.sql",
            function: None,
            kind: Kind::Accounts,
            rule: Rule::AtLeast(0.55, 0.8),
            function_rule: Rule::Free,
        },
        authorize("authorize, 1,000 budgets", spread(size), Rule::AtLeast(2.0, 3.0), Rule::AtLeast(1.0, 1.7)),
        authorize("authorize, one hot budget", hot(size), Rule::AtLeast(8.0, 13.0), Rule::Free),
        Work {
            name: "confirm a batch",
            effect: CONFIRMED,
            script: "confirm.sql",
            function: Some("confirm-function.sql"),
            kind: Kind::Batches,
            rule: Rule::AtLeast(2.5, 3.7),
            function_rule: Rule::Free,
        },
        Work {
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

impl Work {
    /// The requests of one turn; `batches` are those that were prepared for it.
    pub(crate) fn ask(&self, batches: Option<(u64, u64)>) -> Ask {
        match (self.kind, batches) {
            (Kind::Cards(cards), _) => Ask::Authorize(cards),
            (Kind::Budgets(budgets), _) => Ask::Credit(budgets),
            (Kind::Batches, batches) => {
                let (first, last) = batches.unwrap_or((1, 0));
                Ask::Confirm(first, last)
            }
            (Kind::Accounts, _) => Ask::List(0, 9),
            (Kind::Account(account), _) => Ask::List(account, account),
        }
    }

    /// Whether each request takes a batch of its own.
    pub(crate) fn takes_batches(&self) -> bool {
        matches!(self.kind, Kind::Batches)
    }

    /// The variables of its scripts.
    pub(crate) fn variables(&self) -> Vec<(&'static str, u64)> {
        match self.kind {
            Kind::Cards(cards) => vec![("first", cards.first), ("step", cards.step), ("span", cards.span)],
            Kind::Budgets(budgets) => vec![("span", budgets)],
            Kind::Batches | Kind::Accounts | Kind::Account(_) => Vec::new(),
        }
    }
}
