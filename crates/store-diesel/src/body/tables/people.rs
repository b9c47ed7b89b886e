//! People of accounts.

use super::access::accounts;
use super::body::types::{Account, Day, Id, Named, Time};
use super::declare::{changes, tables};
use super::worlds::worlds;
use florin_domain::people::{PersonStatus, Role};

tables! {
    /// A person of an account.
    struct PersonRow in people(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        persona_id: Id,
        first_name: String,
        last_name: String,
        email: Option<String>,
        email_key: Option<String>,
        born: Option<Day>,
        role: Named<Role>,
        status: Named<PersonStatus>,
        created_at: Time,
        updated_at: Time,
    }

    /// The number of an account's people with one role.
    struct PeopleCountRow in people_counts(account_id, role) owned by account_id {
        account_id: Account,
        role: Named<Role>,
        total: i64,
    }
}

changes! {
    /// A person after a change.
    struct PersonChange of people {
        set { first_name, last_name, email, email_key, born, role, status, updated_at, }
        by { account_id, id, }
        from PersonRow keeping { persona_id, created_at, }
    }
}

diesel::numeric_expr!(people_counts::total);
diesel::joinable!(people -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(people, accounts);
diesel::allow_tables_to_appear_in_same_query!(people, worlds);
diesel::allow_tables_to_appear_in_same_query!(accounts, worlds);
