//! Tests of the rules about settlement accounts.

use super::*;
use crate::ids::CheckoutId;
use crate::merchant::MerchantCurrency;
use crate::money::Currency;
use crate::test_support::{a_settlement_request, a_settlement_situation, currency, noon, pounds_details};
use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

fn id(number: u32) -> SettlementAccountId {
    a_settlement_request(number).id
}

fn target(number: u32, named_account: Option<u32>) -> CheckoutTarget {
    let checkout = CheckoutId(Uuid::from_u128(number.into()));
    CheckoutTarget { checkout, currency: currency("GBP"), named_account: named_account.map(id) }
}

/// Returns settlement accounts 1 to `count`, which were approved in this order.
fn approved(count: u32) -> SettlementSituation {
    let mut situation = a_settlement_situation([]);
    situation.profile.permissions.insert(MerchantPermission::CreateTopUpCheckouts);
    for number in 1..=count {
        let change = decide_create_settlement_account(&situation, &a_settlement_request(number)).unwrap();
        assert_eq!(change.changed, Some(id(number)));
        situation.accounts = change.accounts;
    }
    situation
}

fn default_of(accounts: &[SettlementAccount]) -> Option<SettlementAccountId> {
    accounts.iter().find(|account| account.is_default).map(|account| account.id)
}

#[test]
fn the_first_approved_account_is_the_default() {
    let mut situation = a_settlement_situation([]);
    for number in [1, 2] {
        let change = decide_create_settlement_account(&situation, &a_settlement_request(number)).unwrap();
        situation.accounts = change.accounts;
    }
    assert!(situation.accounts.iter().all(|account| account.approval == ApprovalStatus::Pending));
    assert_eq!(default_of(&situation.accounts), None);
    for number in [2, 1] {
        let change = decide_settlement_approval(&situation, id(number), Approval::Approve, noon()).unwrap();
        situation.accounts = change.accounts;
        assert_eq!(default_of(&situation.accounts), Some(id(2)));
    }
    let again = decide_settlement_approval(&situation, id(1), Approval::Reject, noon());
    assert_eq!(again, Err(SettlementRefusal::Decided(ApprovalStatus::Approved)));
    let absent = decide_settlement_approval(&situation, id(9), Approval::Reject, noon());
    assert_eq!(absent, Err(SettlementRefusal::Absent));
}

#[test]
fn bank_details_are_unique_and_the_number_is_limited() {
    let mut situation = approved(100);
    let again = SettlementAccountRequest { details: pounds_details(7), ..a_settlement_request(101) };
    assert_eq!(decide_create_settlement_account(&situation, &again), Err(SettlementRefusal::DetailsTaken));
    let more = a_settlement_request(101);
    assert_eq!(decide_create_settlement_account(&situation, &more), Err(SettlementRefusal::TooMany));
    situation.accounts = decide_delete_settlement_account(&situation, id(7), noon()).unwrap().accounts;
    assert!(decide_create_settlement_account(&situation, &again).is_ok());
}

#[test]
fn only_what_is_sent_changes() {
    let mut situation = approved(2);
    let later = noon() + TimeDelta::days(1);
    let edit = |situation: &SettlementSituation, edit: SettlementAccountEdit| {
        decide_edit_settlement_account(situation, id(2), &edit, later)
    };
    let unchanged = edit(&situation, SettlementAccountEdit::default()).unwrap();
    assert_eq!(unchanged.accounts, situation.accounts);
    let [other, bank] = ["b", "a"].map(|digit| BankId::parse(&digit.repeat(32)).unwrap());
    let with_bank = SettlementAccountEdit { bank: Some(Some(bank.clone())), ..SettlementAccountEdit::default() };
    for listed in [None, Some(other)] {
        situation.bank =
            listed.map(|id| Bank { id, name: "B".into(), icon_url: String::new(), supports_refunds: true });
        assert_eq!(edit(&situation, with_bank.clone()), Err(SettlementRefusal::UnknownBank));
    }
    situation.bank = Some(Bank { id: bank.clone(), name: "B".into(), icon_url: String::new(), supports_refunds: true });
    let named = SettlementAccountEdit { name: Some(Text::parse("Main").ok()), ..with_bank };
    situation.accounts = edit(&situation, named).unwrap().accounts;
    let edited = &situation.accounts[1];
    assert_eq!((edited.name.as_deref(), edited.bank.as_ref(), edited.updated_at), (Some("Main"), Some(&bank), later));
    let cleared = SettlementAccountEdit { name: Some(None), bank: Some(None), make_default: false };
    let cleared = edit(&situation, cleared).unwrap().accounts.remove(1);
    assert_eq!((cleared.name, cleared.bank), (None, None));
}

#[test]
fn another_approved_account_can_become_the_default() {
    let situation = approved(3);
    let make_default = SettlementAccountEdit { make_default: true, ..SettlementAccountEdit::default() };
    let later = noon() + TimeDelta::days(1);
    let changed = decide_edit_settlement_account(&situation, id(3), &make_default, later).unwrap().accounts;
    let defaults: Vec<_> = changed.iter().map(|account| account.is_default).collect();
    assert_eq!(defaults, [false, false, true]);
    let is_changed: Vec<_> = changed.iter().map(|account| account.updated_at == later).collect();
    assert_eq!(is_changed, [true, false, true]);
    let again = SettlementSituation { accounts: changed.clone(), ..situation.clone() };
    let again = decide_edit_settlement_account(&again, id(3), &make_default, later + TimeDelta::days(1));
    assert_eq!(again.unwrap().accounts, changed);
    let mut pending = situation;
    pending.accounts[1].approval = ApprovalStatus::Rejected;
    let refused = decide_edit_settlement_account(&pending, id(2), &make_default, noon());
    assert_eq!(refused, Err(SettlementRefusal::NotApproved));
}

#[test]
fn an_account_that_a_checkout_needs_cannot_be_deleted() {
    let mut situation = approved(2);
    situation.targets = vec![target(1, Some(2)), target(2, None)];
    let later = noon() + TimeDelta::days(1);
    let delete =
        |situation: &SettlementSituation, number| decide_delete_settlement_account(situation, id(number), later);
    assert_eq!(delete(&situation, 2), Err(SettlementRefusal::InUse));
    let change = delete(&situation, 1).unwrap();
    assert_eq!((default_of(&change.accounts), change.changed), (Some(id(2)), None));
    assert_eq!(change.accounts[0].updated_at, later);
    situation.accounts = change.accounts;
    situation.targets = vec![target(2, None)];
    assert_eq!(delete(&situation, 2), Err(SettlementRefusal::InUse));
    situation.targets = vec![CheckoutTarget { currency: currency("EUR"), ..target(2, None) }];
    assert_eq!(delete(&situation, 2).unwrap().accounts, []);
    assert_eq!(delete(&situation, 1), Err(SettlementRefusal::Absent));
}

/// Applies a step of a random kind to the settlement account with this number.
fn step(situation: &mut SettlementSituation, kind: u8, number: u32) {
    let make_default = SettlementAccountEdit { make_default: true, ..SettlementAccountEdit::default() };
    let mut request = a_settlement_request(number);
    if number.is_multiple_of(2) {
        request.details = BankDetails::Iban(format!("DE{number}"));
    }
    let change = match kind {
        0 => decide_create_settlement_account(situation, &request),
        1 => decide_settlement_approval(situation, id(number), Approval::Approve, noon()),
        2 => decide_settlement_approval(situation, id(number), Approval::Reject, noon()),
        3 => decide_edit_settlement_account(situation, id(number), &make_default, noon()),
        _ => decide_delete_settlement_account(situation, id(number), noon()),
    };
    if let Ok(change) = change {
        situation.accounts = change.accounts;
    }
}

proptest! {
    #[test]
    fn a_currency_with_an_approved_account_has_one_default(steps in prop::collection::vec((0_u8..5, 1_u32..8), 0..40)) {
        let mut situation = a_settlement_situation([]);
        situation.targets = vec![target(1, None), target(2, Some(3))];
        for (kind, number) in steps {
            let had_target = situation.accounts.iter().any(|account| situation.targets[0].pays_into(account));
            step(&mut situation, kind, number);
            let has_target = situation.accounts.iter().any(|account| situation.targets[0].pays_into(account));
            prop_assert!(has_target || !had_target, "a checkout lost its settlement account");
            for currency in MerchantCurrency::ALL {
                let of = |account: &&SettlementAccount| account.details.currency() == currency;
                let approved = situation.accounts.iter().filter(of).filter(|account| account.is_approved()).count();
                let defaults: Vec<_> =
                    situation.accounts.iter().filter(of).filter(|account| account.is_default).collect();
                prop_assert_eq!(defaults.len(), usize::from(approved > 0));
                prop_assert!(defaults.iter().all(|account| account.is_approved()));
                let code: Currency = currency.currency().unwrap();
                prop_assert!(defaults.iter().all(|account| account.receives(code)));
            }
        }
    }
}

#[test]
fn a_settlement_account_stays_while_sessions_pay_into_it() {
    let mut situation = approved(2);
    let (paid, other) = (situation.accounts[0].id, situation.accounts[1].id);
    situation.in_use.insert(paid);
    assert_eq!(decide_delete_settlement_account(&situation, paid, noon()), Err(SettlementRefusal::AwaitsPayments));
    assert!(decide_delete_settlement_account(&situation, other, noon()).is_ok());
    situation.in_use.clear();
    assert!(decide_delete_settlement_account(&situation, paid, noon()).is_ok());
}
