//! Test data: merchants, their accounts, payees and checkouts.

use super::ids::{account, noon};
use super::money::currency;
use crate::ids::{CheckoutId, PayeeId, SettlementAccountId};
use crate::merchant::{
    ApprovalStatus, BankDetails, CheckoutKind, CheckoutRequest, MAX_CHECKOUTS, MAX_PAYEES, MerchantProfile,
    PayeeRequest, SettlementAccount, SettlementAccountRequest, SettlementSituation, WebUrl,
};
use crate::text::Text;
use chrono::TimeDelta;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Returns an active merchant without permissions.
pub fn a_merchant() -> MerchantProfile {
    MerchantProfile::new(account(), "Shop")
}

/// Returns the bank details of UK account `number`.
pub fn pounds_details(number: u32) -> BankDetails {
    BankDetails::SortCode { sort_code: "200000".into(), account_number: format!("{number:08}") }
}

/// Returns a request to create settlement account `number`, for pounds.
pub fn a_settlement_request(number: u32) -> SettlementAccountRequest {
    SettlementAccountRequest {
        id: SettlementAccountId(Uuid::from_u128(number.into())),
        account: account(),
        name: None,
        details: pounds_details(number),
        now: noon() + TimeDelta::minutes(number.into()),
    }
}

/// Returns settlement account `number`, for pounds. It is APPROVED and not the default. Greater numbers are younger.
pub fn a_settlement_account(number: u32) -> SettlementAccount {
    let SettlementAccountRequest { id, account, details, now, .. } = a_settlement_request(number);
    SettlementAccount {
        id,
        account,
        name: None,
        details,
        bank: None,
        approval: ApprovalStatus::Approved,
        is_default: false,
        created_at: now,
        updated_at: now,
    }
}

/// Returns the situation of a merchant without checkouts that has these settlement accounts. The first is the default.
pub fn a_settlement_situation(numbers: impl IntoIterator<Item = u32>) -> SettlementSituation {
    let mut accounts: Vec<_> = numbers.into_iter().map(a_settlement_account).collect();
    if let Some(first) = accounts.first_mut() {
        first.is_default = true;
    }
    let (targets, in_use) = (Vec::new(), BTreeSet::new());
    SettlementSituation { profile: a_merchant(), accounts, targets, in_use, bank: None }
}

/// Returns a request to create payee `number`, for pounds.
pub fn a_payee_request(number: u32) -> PayeeRequest {
    PayeeRequest {
        id: PayeeId(Uuid::from_u128(number.into())),
        account: account(),
        name: Text::parse("Ada Byron").unwrap(),
        details: pounds_details(number),
        now: noon(),
        max_payees: MAX_PAYEES,
    }
}

/// Returns a request to create a checkout for pounds.
pub fn a_checkout_request(kind: CheckoutKind) -> CheckoutRequest {
    CheckoutRequest {
        id: CheckoutId(Uuid::from_u128(0xc0)),
        account: account(),
        kind,
        name: Text::parse("Web shop").unwrap(),
        currency: currency("GBP"),
        return_url: WebUrl::parse("https://shop.example/").unwrap(),
        locale: None,
        now: noon(),
        max_checkouts: MAX_CHECKOUTS,
    }
}
