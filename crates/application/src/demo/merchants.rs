//! Merchant profiles, settlement accounts and payees of the demo accounts.

use super::DemoFault;
use super::ids::{Kind, id};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{AccountId, PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    ApprovalStatus, Bank, BankDetails, MerchantPermission, MerchantProfile, Payee, SettlementAccount, WebUrl,
};

/// The settlement accounts of the demo account: number, account number or IBAN, approval, and whether it is the
/// default. Demo checkouts pay into the second and the fourth.
const SETTLEMENT_ACCOUNTS: [(u32, &str, ApprovalStatus, bool); 5] = [
    (1, "55779911", ApprovalStatus::Approved, true),
    (2, "55780098", ApprovalStatus::Approved, false),
    (3, "55780403", ApprovalStatus::Pending, false),
    (4, "DE89370400440532013000", ApprovalStatus::Approved, true),
    (5, "FR1420041010050500013M02606", ApprovalStatus::Rejected, false),
];

/// The payees of the demo account: name, account number or IBAN, approval.
const PAYEES: [(&str, &str, ApprovalStatus); 4] = [
    ("Ada Byron", "55780551", ApprovalStatus::Approved),
    ("Émilie du Châtelet", "FR7630006000011234567890189", ApprovalStatus::Approved),
    ("Grace Hopper", "55781302", ApprovalStatus::Pending),
    ("Nobody Ltd", "55781450", ApprovalStatus::Rejected),
];

/// The profile of the demo account, with every permission.
pub(super) fn profile_of_demo_account(account: &AccountId) -> Result<MerchantProfile, DemoFault> {
    Ok(MerchantProfile {
        return_policy_url: Some(WebUrl::parse("https://shop.example/returns")?),
        permissions: MerchantPermission::ALL.into(),
        ..MerchantProfile::new(account.clone(), "Florin Demo Ltd")
    })
}

/// The settlement accounts of the demo account.
pub(super) fn settlement_accounts(account: &AccountId, at: DateTime<Utc>, bank: &Bank) -> Vec<SettlementAccount> {
    let all = SETTLEMENT_ACCOUNTS.into_iter();
    all.map(|(number, details, approval, is_default)| SettlementAccount {
        is_default,
        approval,
        bank: (number == 1).then(|| bank.id.clone()),
        ..settlement_account(account, number, details, at)
    })
    .collect()
}

/// The settlement accounts of the other client's account. Its checkouts pay into them.
pub(super) fn settlement_accounts_of_other_account(account: &AccountId, at: DateTime<Utc>) -> Vec<SettlementAccount> {
    let default =
        |number, details| SettlementAccount { is_default: true, ..settlement_account(account, number, details, at) };
    vec![default(2, "55781906"), default(4, "DE02120300000000202051")]
}

fn settlement_account(account: &AccountId, number: u32, text: &str, at: DateTime<Utc>) -> SettlementAccount {
    let created_at = at + TimeDelta::minutes(i64::from(number));
    SettlementAccount {
        id: SettlementAccountId(id(Kind::SettlementAccount, number)),
        account: account.clone(),
        name: Some(format!("Account {number}")),
        details: details(text),
        bank: None,
        approval: ApprovalStatus::Approved,
        is_default: false,
        created_at,
        updated_at: created_at,
    }
}

/// The payees of the demo account.
pub(super) fn payees(account: &AccountId, at: DateTime<Utc>) -> Vec<Payee> {
    let payee = |(number, (name, text, approval)): (u32, (&str, &str, ApprovalStatus))| {
        let created_at = at + TimeDelta::minutes(i64::from(number));
        Payee {
            id: PayeeId(id(Kind::Payee, number)),
            account: account.clone(),
            name: name.to_owned(),
            details: details(text),
            approval,
            created_at,
            updated_at: created_at,
        }
    };
    (1..).zip(PAYEES).map(payee).collect()
}

/// Parses bank details. An IBAN begins with a letter; everything else is an account number at one fixed sort code.
fn details(text: &str) -> BankDetails {
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        BankDetails::Iban(text.to_owned())
    } else {
        BankDetails::SortCode { sort_code: "200000".to_owned(), account_number: text.to_owned() }
    }
}
