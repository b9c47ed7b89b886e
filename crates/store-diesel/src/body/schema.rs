//! The tables, as the migrations of every backend make them.
#![allow(clippy::wildcard_imports, reason = "Diesel's table! wants the SQL types in scope")]

use super::backend::sql::{DaySql, IdSql, TimeSql};

/// Diesel's `table!` for each, with the backend's SQL types in scope.
macro_rules! tables {
    ($($name:ident $key:tt $columns:tt)*) => {$(
        diesel::table! {
            use diesel::sql_types::*;
            use super::{DaySql, IdSql, TimeSql};

            $name $key $columns
        }
    )*

    /// The tables as they are written below: a name, and columns between braces.
    #[cfg(all(test, feature = "sqlite", feature = "postgres"))]
    pub(crate) const WRITTEN: &[(&str, &str)] = &[$((stringify!($name), stringify!($columns)),)*];
    };
}

tables! {
    clients (id) {
        id -> IdSql,
        name -> Text,
        allowed_networks -> Text,
    }

    client_features (client_id, feature) {
        client_id -> IdSql,
        feature -> Text,
    }

    accounts (id) {
        id -> Text,
        client_id -> IdSql,
        name -> Text,
        merchant -> Bool,
        mfa_required -> Bool,
    }

    api_keys (id) {
        id -> IdSql,
        client_id -> IdSql,
        hash -> Binary,
        hash_tag -> BigInt,
        environment -> Text,
        scopes -> Text,
        every_account -> Bool,
        created_at -> TimeSql,
        expires_at -> Nullable<TimeSql>,
        revoked_at -> Nullable<TimeSql>,
    }

    api_key_accounts (client_id, key_id, account_id) {
        client_id -> IdSql,
        key_id -> IdSql,
        account_id -> Text,
    }

    checkouts (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        checkout_type -> Text,
        status -> Text,
        name -> Nullable<Text>,
        currency -> Text,
        return_url -> Text,
        locale -> Nullable<Text>,
        settlement_account_id -> Nullable<IdSql>,
        collect_address -> Nullable<Bool>,
        dynamic_rates_url -> Nullable<Text>,
        created_at -> TimeSql,
        updated_at -> TimeSql,
    }

    checkout_counts (account_id, checkout_type, status) {
        account_id -> Text,
        checkout_type -> Text,
        status -> Text,
        total -> BigInt,
    }

    banks (id) {
        id -> Text,
        name -> Text,
        icon_url -> Text,
        supports_refunds -> Bool,
    }

    budgets (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        name -> Text,
        parent_id -> Nullable<IdSql>,
        features -> Text,
        created_at -> Nullable<TimeSql>,
    }

    balances (account_id, budget_id, currency) {
        account_id -> Text,
        budget_id -> IdSql,
        currency -> Text,
        available_minor -> BigInt,
        held_minor -> BigInt,
        reserved_minor -> BigInt,
    }

    journal_transactions (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        kind -> Text,
        cause_id -> IdSql,
        currency -> Text,
        created_at -> TimeSql,
    }

    journal_entries (account_id, journal_id, line) {
        account_id -> Text,
        journal_id -> IdSql,
        line -> BigInt,
        pool -> Text,
        budget_id -> Nullable<IdSql>,
        amount_minor -> BigInt,
    }

    transfers (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        from_budget_id -> IdSql,
        to_budget_id -> IdSql,
        currency -> Text,
        amount_minor -> BigInt,
        journal_id -> IdSql,
        reference -> Nullable<Text>,
        created_at -> TimeSql,
    }

    credit_counters (account_id) {
        account_id -> Text,
        last_number -> BigInt,
    }

    credits (account_id, number) {
        account_id -> Text,
        number -> BigInt,
        budget_id -> IdSql,
        journal_id -> IdSql,
        currency -> Text,
        amount_minor -> BigInt,
        scheme -> Text,
        remitters_name -> Text,
        remitters_address -> Text,
        beneficiary_name -> Text,
        reference -> Nullable<Text>,
        bank_identifier -> Nullable<Text>,
        account_identifier -> Nullable<Text>,
        order_id -> Nullable<Text>,
        third_party_reference -> Nullable<Text>,
        institution_name -> Nullable<Text>,
        institution_address -> Nullable<Text>,
        available_minor -> BigInt,
        held_minor -> BigInt,
        reserved_minor -> BigInt,
        created_at -> TimeSql,
    }

    cards (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        budget_id -> IdSql,
        currency -> Text,
        state -> Text,
        user_token -> IdSql,
        expires_on -> DaySql,
        name -> Nullable<Text>,
        owner -> Text,
        created_at -> Nullable<TimeSql>,
    }

    card_transitions (account_id, card_id, position) {
        account_id -> Text,
        card_id -> IdSql,
        position -> BigInt,
        from_state -> Text,
        to_state -> Text,
        reason -> Text,
        client_id -> IdSql,
        created_at -> TimeSql,
    }

    spending_limits (account_id, card_id, limit_window) {
        account_id -> Text,
        card_id -> IdSql,
        limit_window -> Text,
        amount_minor -> BigInt,
        most_uses -> Nullable<BigInt>,
        window_start -> DaySql,
        spent_minor -> BigInt,
        uses -> BigInt,
    }

    card_transactions (account_id, token) {
        account_id -> Text,
        token -> IdSql,
        chain_id -> IdSql,
        card_id -> IdSql,
        user_token -> IdSql,
        budget_id -> IdSql,
        chain_kind -> Text,
        kind -> Text,
        state -> Text,
        currency -> Text,
        amount_minor -> BigInt,
        requested_minor -> BigInt,
        impacted_minor -> BigInt,
        response -> Text,
        ledger_minor -> BigInt,
        available_minor -> BigInt,
        preceding -> Nullable<IdSql>,
        network -> Text,
        acceptor_mid -> Text,
        acceptor_name -> Text,
        acceptor_city -> Text,
        acceptor_state -> Text,
        acceptor_postal_code -> Text,
        acceptor_country_code -> Text,
        acceptor_mcc -> Text,
        created_at -> TimeSql,
        acquirer_fee_minor -> Nullable<BigInt>,
        original_currency -> Nullable<Text>,
        original_minor -> Nullable<BigInt>,
        conversion_rate -> Nullable<Text>,
        journal_id -> Nullable<IdSql>,
    }

    decline_reasons (account_id, token) {
        account_id -> Text,
        token -> IdSql,
        rules -> Text,
    }

    card_chains (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        card_id -> IdSql,
        budget_id -> IdSql,
        currency -> Text,
        kind -> Text,
        authorised_minor -> BigInt,
        held_minor -> BigInt,
        cleared_minor -> BigInt,
        ended_by -> Nullable<Text>,
        due_at -> Nullable<TimeSql>,
        created_at -> TimeSql,
        original_held_minor -> Nullable<BigInt>,
        original_cleared_minor -> Nullable<BigInt>,
    }

    payment_batches (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        name -> Text,
        status -> Text,
        created_by -> IdSql,
        visible -> Bool,
        locked -> Bool,
        input_format -> Nullable<Text>,
        input_status -> Nullable<Text>,
        input_budget_id -> Nullable<IdSql>,
        input_created_at -> Nullable<TimeSql>,
        input_updated_at -> Nullable<TimeSql>,
        created_at -> TimeSql,
        updated_at -> TimeSql,
        confirmed_by -> Nullable<IdSql>,
        confirmed_at -> Nullable<TimeSql>,
        passed_mfa_check_at -> Nullable<TimeSql>,
        orders_sent_at -> Nullable<TimeSql>,
        work_at -> Nullable<TimeSql>,
        lease_id -> Nullable<IdSql>,
        leased_until -> Nullable<TimeSql>,
    }

    payment_orders (account_id, batch_id, position) {
        account_id -> Text,
        batch_id -> IdSql,
        position -> BigInt,
        id -> IdSql,
        budget_id -> IdSql,
        currency -> Text,
        total_minor -> BigInt,
        fees_minor -> BigInt,
    }

    payments (account_id, batch_id, input_index) {
        account_id -> Text,
        batch_id -> IdSql,
        input_index -> BigInt,
        id -> IdSql,
        status -> Text,
        order_id -> Nullable<IdSql>,
        budget_id -> Nullable<IdSql>,
        currency -> Nullable<Text>,
        amount_minor -> Nullable<BigInt>,
        fee_minor -> Nullable<BigInt>,
        network -> Nullable<Text>,
        failure -> Nullable<Text>,
        input -> Text,
        created_at -> TimeSql,
        updated_at -> TimeSql,
        started_at -> Nullable<TimeSql>,
        ask_at -> Nullable<TimeSql>,
    }

    payment_alerts (account_id, batch_id, position) {
        account_id -> Text,
        batch_id -> IdSql,
        position -> BigInt,
        created_at -> TimeSql,
        kind -> Text,
        code -> Text,
        input_index -> Nullable<BigInt>,
        message -> Text,
    }

    outbox_events (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        kind -> Text,
        batch_id -> IdSql,
        order_id -> Nullable<IdSql>,
        payment_id -> Nullable<IdSql>,
        created_at -> TimeSql,
    }

    sandbox_payments (id) {
        id -> IdSql,
        currency -> Text,
        amount_minor -> BigInt,
        reference -> Nullable<Text>,
        accepted_at -> TimeSql,
    }

    mfa_sessions (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        client_id -> IdSql,
        batch_id -> IdSql,
        provider -> Text,
        state -> Text,
        wrong_tokens -> BigInt,
        created_at -> TimeSql,
        expires_at -> TimeSql,
    }

    totp_enrolments (account_id) {
        account_id -> Text,
        secret -> Binary,
        used_steps -> Text,
        wrong_at -> Text,
        locked_until -> Nullable<TimeSql>,
    }

    idempotency_records (account_id, client_id, idempotency_key) {
        account_id -> Text,
        client_id -> IdSql,
        idempotency_key -> Text,
        method -> Text,
        path -> Text,
        query -> Text,
        body_form -> Text,
        body -> Text,
        answer_status -> BigInt,
        answer_body -> Text,
        created_at -> TimeSql,
    }

    timelines (account_id) {
        account_id -> Text,
        ahead_micros -> BigInt,
        frozen_at -> Nullable<TimeSql>,
        seed -> Nullable<Text>,
        last_number -> BigInt,
    }

    worlds (account_id) {
        account_id -> Text,
        client_id -> IdSql,
        template -> Text,
        seed_text -> Nullable<Text>,
        created_at -> TimeSql,
        expires_at -> TimeSql,
        made_under -> Nullable<Text>,
        request_hash -> Nullable<Text>,
    }

    world_snapshots (account_id, id) {
        account_id -> Text,
        id -> IdSql,
        name -> Nullable<Text>,
        created_at -> TimeSql,
        row_count -> BigInt,
        schema_name -> Text,
        contents -> Text,
    }

    imported_addresses (postcode, position) {
        postcode -> Text,
        position -> BigInt,
        address_line1 -> Text,
        address_line2 -> Text,
        address_line3 -> Text,
        city -> Text,
        county -> Text,
    }
}

diesel::joinable!(api_keys -> clients (client_id));
diesel::allow_tables_to_appear_in_same_query!(api_keys, clients);
diesel::allow_tables_to_appear_in_same_query!(cards, balances);
diesel::allow_tables_to_appear_in_same_query!(budgets, balances);
diesel::joinable!(timelines -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(accounts, timelines);
diesel::allow_tables_to_appear_in_same_query!(card_chains, timelines);
diesel::allow_tables_to_appear_in_same_query!(worlds, timelines);
diesel::allow_tables_to_appear_in_same_query!(worlds, world_snapshots);
diesel::allow_tables_to_appear_in_same_query!(api_keys, api_key_accounts);
