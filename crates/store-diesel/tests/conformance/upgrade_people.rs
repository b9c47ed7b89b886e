//! A database without stored numbers of people, and its expected state after an upgrade.

use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use florin_domain::people::{PersonFilter, Role};
use florin_ports::{BooksCheck, People};

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-29-000059";
/// Rows added to those of the first schema: an owner and two users.
pub(crate) const ROWS: &str = "
    INSERT INTO people (
        account_id, id, persona_id, first_name, last_name, role, status, created_at, updated_at
    ) VALUES
    ('F1', '00000000-0000-0000-0000-000000000e01', '00000000-0000-0000-0000-000000000e11', 'Ada', 'Byron', 'Owner',
        'active', @time, @time),
    ('F1', '00000000-0000-0000-0000-000000000e02', '00000000-0000-0000-0000-000000000e12', 'Ann', 'Lee', 'User',
        'active', @time, @time),
    ('F1', '00000000-0000-0000-0000-000000000e03', '00000000-0000-0000-0000-000000000e13', 'Erased', 'Erased', 'User',
        'inactive', @time, @time)";

/// Checks the counts of the lists after the upgrade.
pub(crate) async fn check_counts(store: &(impl People + BooksCheck)) {
    let account = AccountId::parse("F1").unwrap();
    for (role, count) in [(None, 3_i64), (Some(Role::Owner), 1), (Some(Role::User), 2), (Some(Role::Admin), 0)] {
        let filter = PersonFilter { role, ..PersonFilter::default() };
        let found = store.list(&account, filter, PageRequest::default()).await.unwrap();
        assert_eq!((found.count, found.rows.len()), (count, usize::try_from(count).unwrap()), "{role:?}");
    }
    assert_eq!(store.check_all().await.unwrap().discrepancies, vec![]);
}
