//! Checks that journal, balances and the number of answered requests agree.

use anyhow::{Context, bail};

/// SQL that counts rows and sums balances.
pub(crate) const COUNTS: &str = include_str!("../sql/counts.sql");
/// SQL that verifies balances against the journal, the open chains and the confirmed batches.
pub(crate) const PROOF: &str = include_str!("../sql/proof.sql");

/// SQL that copies the entries of the baselines (the plain SQL that Florin is compared with) into `journal_legs`,
/// because `florin check` reads only legs. The baselines write their journal to `journal_transactions` and
/// `journal_entries`, which Florin does not have.
pub(crate) const LEGS: &str = include_str!("../sql/legs.sql");
/// SQL that fills the tables of stored counts (cards, budgets and people of each account).
pub(crate) const LIST_COUNTS: &str = include_str!("../sql/list-counts.sql");

/// Names of the counts, in the order of `counts.sql`.
const NAMES: [&str; 11] = [
    "card messages",
    "chains",
    "journal transactions",
    "postings",
    "idempotency records",
    "credits",
    "confirmed batches",
    "used MFA sessions",
    "available minor units",
    "held minor units",
    "reserved minor units",
];

/// Names of the violations, in the order of `proof.sql`.
const VIOLATIONS: [&str; 4] = [
    "journal transactions of the baselines that do not add up to zero",
    "balances that are not the sums of their postings",
    "balances that do not hold what the open chains hold",
    "balances that do not reserve what the confirmed batches pay",
];

/// The stored counts, or the change of each by one request.
pub(crate) type Counts = [i64; 11];

/// The effect of an authorization of 10.00.
pub(crate) const AUTHORIZED: Counts = [1, 1, 1, 2, 1, 0, 0, 0, -1000, 1000, 0];
/// The effect of confirming a batch of 1.00.
pub(crate) const CONFIRMED: Counts = [0, 0, 1, 2, 1, 0, 1, 1, -100, 0, 100];
/// The effect of a credit of 200.00.
pub(crate) const CREDITED: Counts = [0, 0, 1, 2, 1, 1, 0, 0, 20_000, 0, 0];
/// The effect of a transfer between two budgets.
pub(crate) const TRANSFERRED: Counts = [0, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0];
/// The effect of a read or a dry run: none.
pub(crate) const NOTHING: Counts = [0; 11];

/// A store whose books can be checked.
pub(crate) trait Books {
    /// Returns the stored counts.
    fn counts(&mut self) -> anyhow::Result<Counts>;
    /// Returns the number of violations of each kind.
    fn violations(&mut self) -> anyhow::Result<[i64; 4]>;
    /// Runs a statement.
    fn execute(&mut self, sql: &str) -> anyhow::Result<()>;
    /// Runs a checkpoint of the database, so that every round starts from the same state.
    fn checkpoint(&mut self) -> anyhow::Result<()>;
}

/// Checks that each answered request had its effect exactly once, and that nothing else changed.
pub(crate) fn check_counts(before: &Counts, after: &Counts, effect: &Counts, answered: u64) -> anyhow::Result<()> {
    let answered = i64::try_from(answered)?;
    let mut wrong = Vec::new();
    for (index, name) in NAMES.iter().enumerate() {
        let (expected, found) = (effect[index] * answered, after[index] - before[index]);
        if expected != found {
            wrong.push(format!("{name}: {found} instead of {expected}"));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        bail!("after {answered} answers the store does not agree: {}", wrong.join("; "))
    }
}

/// Verifies every balance.
pub(crate) fn verify_balances(books: &mut dyn Books) -> anyhow::Result<()> {
    let violations = books.violations().context("cannot check the books")?;
    let wrong: Vec<_> = VIOLATIONS
        .iter()
        .zip(violations)
        .filter(|(_, count)| *count != 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if wrong.is_empty() { Ok(()) } else { bail!("the books do not agree: {}", wrong.join("; ")) }
}

/// A deliberate fault.
struct Fault {
    /// The index of the violation that must be detected.
    violation: usize,
    /// Whether the counts must differ as well.
    is_counted: bool,
    statement: &'static str,
}

const FAULTS: [Fault; 5] = [
    Fault {
        violation: 0,
        is_counted: false,
        statement: "UPDATE journal_entries SET amount_minor = amount_minor + 1 WHERE account_id = 'bench-1' \
            AND journal_id = '00000000-0000-0000-000c-000000000001' AND line = 0",
    },
    Fault {
        violation: 1,
        is_counted: false,
        statement: "UPDATE journal_legs SET amount_minor = amount_minor + 1 WHERE account_id = 'bench-1' \
            AND journal_id = '00000000-0000-0000-000c-000000000001' AND line = 0",
    },
    Fault {
        violation: 1,
        is_counted: true,
        statement: "UPDATE balances SET available_minor = available_minor + 1 \
            WHERE account_id = 'bench-1' AND budget_id = '00000000-0000-0000-0003-000000000001'",
    },
    Fault {
        violation: 2,
        is_counted: false,
        statement: "UPDATE card_chains SET held_minor = held_minor + 1 \
            WHERE id = '00000000-0000-0000-0006-000000000003'",
    },
    Fault {
        violation: 3,
        is_counted: false,
        statement: "UPDATE balances SET reserved_minor = reserved_minor + 1 \
            WHERE account_id = 'bench-1' AND budget_id = '00000000-0000-0000-0003-000000000001'",
    },
];

/// Proves that the checks can fail: creates each fault, requires that the check detects it, and rolls it back.
pub(crate) fn test_the_checks(books: &mut dyn Books) -> anyhow::Result<()> {
    verify_balances(books)?;
    let before = books.counts()?;
    for Fault { violation, is_counted, statement } in FAULTS {
        books.execute("BEGIN")?;
        books.execute(statement)?;
        let (found, counts) = (books.violations()?, books.counts()?);
        books.execute("ROLLBACK")?;
        if found[violation] == 0 {
            bail!("the check does not detect {} after {statement}", VIOLATIONS[violation]);
        }
        if is_counted && check_counts(&before, &counts, &NOTHING, 0).is_ok() {
            bail!("the check does not detect a balance that changed without a posting");
        }
    }
    verify_balances(books)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_extra_effects_are_detected() {
        let before = [10; 11];
        let after: Counts = std::array::from_fn(|index| before[index] + 3 * AUTHORIZED[index]);
        check_counts(&before, &after, &AUTHORIZED, 3).unwrap();
        let message = check_counts(&before, &after, &AUTHORIZED, 4).unwrap_err().to_string();
        assert!(
            message.contains("card messages: 3 instead of 4") && message.contains("held minor units: 3000"),
            "{message}"
        );
        assert!(check_counts(&before, &after, &AUTHORIZED, 2).is_err());
        assert!(check_counts(&before, &after, &NOTHING, 3).is_err());
    }

    #[test]
    fn effects_move_money_only_between_pools() {
        for effect in [AUTHORIZED, CONFIRMED, TRANSFERRED] {
            assert_eq!(effect[8..].iter().sum::<i64>(), 0);
        }
    }
}
