//! Budgets, their balances, the journal, transfers and credits.

use super::body::names::PoolName;
use super::body::types::{Account, Bytes, Currency, Id, Named, Time};
use super::declare::{changes, lookups, tables};
use florin_domain::budget::{BudgetKind, BudgetStatus, CreditScheme};
use florin_domain::ledger::JournalKind;

tables! {
    /// A budget, without its balances.
    struct BudgetRow in budgets(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        name: String,
        parent_id: Option<Id>,
        features: String,
        created_at: Option<Time>,
        kind: Named<BudgetKind>,
        persona_id: Option<Id>,
        status: Named<BudgetStatus>,
        box_id: Option<String>,
        low_balance_minor: Option<i64>,
        low_balance_currency: Option<Currency>,
        updated_at: Option<Time>,
        /// The controls as JSON; null for none.
        controls: Option<String>,
    }

    /// The number of an account's budgets below one parent that hold one currency.
    struct BudgetCountRow in budget_counts(account_id, below, held) owned by account_id {
        account_id: Account,
        /// The parent of the budgets; empty for any.
        below: String,
        /// The currency; empty for any.
        held: String,
        total: i64,
    }

    /// The balances of a budget in one currency.
    struct BalanceRow in balances(account_id, budget_id, currency) owned by account_id {
        account_id: Account,
        budget_id: Id,
        currency: Currency,
        available_minor: i64,
        held_minor: i64,
        reserved_minor: i64,
        last_number: Option<i64>,
        /// The number of journal transactions that changed it.
        movements: i64,
        /// The number and the hash of the last link of its hash chain; 0 and null before the first one.
        last_link: i64,
        last_hash: Option<Bytes>,
    }

    /// A leg of a transaction of the journal, with what it shares with the other legs.
    struct LegRow in journal_legs(account_id, journal_id, line) owned by account_id unchecked {
        account_id: Account,
        journal_id: Id,
        line: i64,
        amount_minor: i64,
        created_at: Time,
        /// The position of a credit or top-up in the feed of changes; on its first leg only.
        position: Option<i64>,
        kind: Named<JournalKind>,
        cause_id: Id,
        currency: Currency,
        from_pool: Named<PoolName>,
        from_budget_id: Option<Id>,
        to_pool: Named<PoolName>,
        to_budget_id: Option<Id>,
        /// The settlement account or payee, if a side is a pool of a merchant.
        settled_to: Option<Id>,
        /// The number (box transaction id) of a top-up, a payment or its return; on its first leg only.
        number: Option<i64>,
        /// The number of the leg in the hash chain of the pool that it takes from.
        from_link: Option<i64>,
        /// The number in the chain of the other pool, if that is another chain.
        to_link: Option<i64>,
        /// The hashes of both links.
        from_hash: Option<Bytes>,
        to_hash: Option<Bytes>,
    }

    /// A transfer between budgets.
    struct TransferRow in transfers(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        from_budget_id: Id,
        to_budget_id: Id,
        currency: Currency,
        amount_minor: i64,
        journal_id: Id,
        reference: Option<String>,
        created_at: Time,
        number: i64,
        /// Its position in the feed of changes.
        position: i64,
    }

    /// The last number (box transaction id) of an account, and the end of the hash chain of its settlements.
    struct CounterRow in credit_counters(account_id) owned by account_id {
        account_id: Account,
        last_number: i64,
        /// The number and the hash of the last link of the account's settlements; 0 and null before the first one.
        last_link: i64,
        last_hash: Option<Bytes>,
    }

    /// A credit.
    struct CreditRow in credits(account_id, number) owned by account_id {
        account_id: Account,
        number: i64,
        budget_id: Id,
        journal_id: Id,
        currency: Currency,
        amount_minor: i64,
        scheme: Named<CreditScheme>,
        remitters_name: String,
        remitters_address: String,
        beneficiary_name: String,
        reference: Option<String>,
        bank_identifier: Option<String>,
        account_identifier: Option<String>,
        order_id: Option<String>,
        third_party_reference: Option<String>,
        institution_name: Option<String>,
        institution_address: Option<String>,
        available_minor: i64,
        held_minor: i64,
        reserved_minor: i64,
        created_at: Time,
    }
}

diesel::numeric_expr!(budget_counts::total);
diesel::allow_tables_to_appear_in_same_query!(budgets, balances);

changes! {
    /// A budget after a change.
    struct BudgetChange of budgets {
        set { name, features, status, low_balance_minor, low_balance_currency, updated_at, controls, }
        by { account_id, id, }
        from BudgetRow keeping { parent_id, created_at, kind, persona_id, box_id, }
    }

    /// The balances of a budget in one currency, after a change.
    struct BalanceChange of balances {
        set { available_minor, held_minor, reserved_minor, last_number, movements, last_link, last_hash, }
        by { account_id, budget_id, currency, }
    }

    /// The counters of an account, after a movement that has a number, or after a settlement.
    struct CounterChange of credit_counters {
        set { last_number, last_link, last_hash, }
        by { account_id, }
    }
}

lookups! {
    /// Budgets, without their balances.
    struct BudgetsById: BudgetRow {
        from budgets by (account_id, id)
    }

    /// The counters of accounts, locked.
    struct LockedCounters: CounterRow {
        from credit_counters by (account_id)
        order by "credit_counters.account_id"
        for update
    }
}
