//! Merchants: profiles, logos, checkouts with their counts, settlement accounts and payees; and the bank list.

use super::access::accounts;
use super::body::types::{Account, Bytes, Currency, Id, Named, Time};
use super::declare::{changes, parts, tables};
use florin_domain::merchant::{ApprovalStatus, BankDetailsType, CheckoutStatus, CheckoutType, MerchantStatus};

tables! {
    /// A stored merchant profile. A merchant without a row has the default profile.
    struct ProfileRow in merchant_profiles(account_id) owned by account_id {
        account_id: Account,
        status: Named<MerchantStatus>,
        name: String,
        return_policy_url: Option<String>,
        primary_colour: Option<String>,
        background_colour: Option<String>,
        hide_service_logo: bool,
        permissions: String,
    }

    /// The logo of a merchant.
    struct LogoRow in merchant_logos(account_id) owned by account_id {
        account_id: Account,
        id: Id,
        png: Bytes,
        created_at: Time,
    }

    /// A settlement account.
    struct SettlementAccountRow in settlement_accounts(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        name: Option<String>,
        details_type: Named<BankDetailsType>,
        details: String,
        bank_id: Option<String>,
        approval: Named<ApprovalStatus>,
        is_default: bool,
        created_at: Time,
        updated_at: Time,
    }

    /// A payee.
    struct PayeeRow in payees(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        name: String,
        details_type: Named<BankDetailsType>,
        details: String,
        approval: Named<ApprovalStatus>,
        created_at: Time,
        updated_at: Time,
    }

    /// A checkout.
    struct CheckoutRow in checkouts(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        checkout_type: Named<CheckoutType>,
        status: Named<CheckoutStatus>,
        name: Option<String>,
        currency: Currency,
        return_url: String,
        locale: Option<String>,
        settlement_account_id: Option<Id>,
        collect_address: Option<bool>,
        dynamic_rates_url: Option<String>,
        created_at: Time,
        updated_at: Time,
    }

    /// The number of an account's checkouts of one type and status.
    struct CheckoutCountRow in checkout_counts(account_id, checkout_type, status) owned by account_id {
        account_id: Account,
        checkout_type: Named<CheckoutType>,
        status: Named<CheckoutStatus>,
        total: i64,
    }

    /// A bank of the bank list.
    struct BankRow in banks(id) of nobody {
        id: String,
        name: String,
        icon_url: String,
        supports_refunds: bool,
    }
}

diesel::numeric_expr!(checkout_counts::total);
diesel::allow_tables_to_appear_in_same_query!(settlement_accounts, banks);
diesel::allow_tables_to_appear_in_same_query!(accounts, merchant_profiles);
diesel::allow_tables_to_appear_in_same_query!(accounts, merchant_logos);
diesel::allow_tables_to_appear_in_same_query!(merchant_profiles, merchant_logos);

parts! {
    /// A checkout without its account, which the caller knows.
    struct ListedCheckoutRow of checkouts {
        id,
        checkout_type,
        status,
        name,
        currency,
        return_url,
        locale,
        settlement_account_id,
        collect_address,
        dynamic_rates_url,
        created_at,
        updated_at,
    }
}

changes! {
    /// A profile after a change.
    struct ProfileChange of merchant_profiles {
        set {
            status,
            name,
            return_policy_url,
            primary_colour,
            background_colour,
            hide_service_logo,
            permissions,
        }
        by { account_id, }
        from ProfileRow keeping { }
    }

    /// A settlement account after a change.
    struct SettlementAccountChange of settlement_accounts {
        set { name, bank_id, approval, is_default, updated_at, }
        by { account_id, id, }
        from SettlementAccountRow keeping { details_type, details, created_at, }
    }

    /// A payee after its approval.
    struct PayeeChange of payees {
        set { approval, updated_at, }
        by { account_id, id, }
        from PayeeRow keeping { name, details_type, details, created_at, }
    }

    /// A checkout after a change.
    struct CheckoutChange of checkouts {
        set {
            status,
            name,
            return_url,
            locale,
            settlement_account_id,
            collect_address,
            dynamic_rates_url,
            updated_at,
        }
        by { account_id, id, }
        from CheckoutRow keeping { checkout_type, currency, created_at, }
    }
}
