//! Cards, their limits, messages and chains.

use super::body::types::{Account, Currency, Day, Exchange, Id, Named, Time};
use super::declare::{changes, lookups, parts, tables};
use super::worlds::timelines;
use florin_domain::card::{
    CardOwner, CardState, ChainEnd, ChainKind, MessageKind, Network, Response, SpendingWindow, TransactionState,
};

tables! {
    /// A card with all its columns.
    struct CardRecordRow in cards(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        budget_id: Id,
        currency: Currency,
        state: Named<CardState>,
        user_token: Id,
        expires_on: Day,
        name: Option<String>,
        owner: Named<CardOwner>,
        created_at: Option<Time>,
    }

    /// A transition of a card to another state.
    struct TransitionRow in card_transitions(account_id, card_id, position) owned by account_id {
        account_id: Account,
        card_id: Id,
        position: i64,
        from_state: Named<CardState>,
        to_state: Named<CardState>,
        reason: String,
        client_id: Id,
        created_at: Time,
    }

    /// A spending limit of a card.
    struct LimitRow in spending_limits(account_id, card_id, limit_window) owned by account_id {
        account_id: Account,
        card_id: Id,
        limit_window: Named<SpendingWindow>,
        amount_minor: i64,
        most_uses: Option<i64>,
        window_start: Day,
        spent_minor: i64,
        uses: i64,
    }

    /// A card message.
    struct MessageRow in card_transactions(account_id, token) owned by account_id {
        account_id: Account,
        token: Id,
        chain_id: Id,
        card_id: Id,
        user_token: Id,
        budget_id: Id,
        chain_kind: Named<ChainKind>,
        kind: Named<MessageKind>,
        state: Named<TransactionState>,
        currency: Currency,
        amount_minor: i64,
        requested_minor: i64,
        impacted_minor: i64,
        response: Named<Response>,
        ledger_minor: i64,
        available_minor: i64,
        preceding: Option<Id>,
        network: Named<Network>,
        acceptor_mid: String,
        acceptor_name: String,
        acceptor_city: String,
        acceptor_state: String,
        acceptor_postal_code: String,
        acceptor_country_code: String,
        acceptor_mcc: String,
        created_at: Time,
        acquirer_fee_minor: Option<i64>,
        original_currency: Option<Currency>,
        original_minor: Option<i64>,
        conversion_rate: Option<Exchange>,
        journal_id: Option<Id>,
    }

    /// A chain of card messages.
    struct ChainRow in card_chains(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        card_id: Id,
        budget_id: Id,
        currency: Currency,
        kind: Named<ChainKind>,
        authorised_minor: i64,
        held_minor: i64,
        cleared_minor: i64,
        ended_by: Option<Named<ChainEnd>>,
        due_at: Option<Time>,
        created_at: Time,
        original_held_minor: Option<i64>,
        original_cleared_minor: Option<i64>,
    }

    /// Why a message was declined: the rules that were checked as JSON, the last of which failed.
    struct ReasonRow in decline_reasons(account_id, token) owned by account_id {
        account_id: Account,
        token: Id,
        rules: String,
    }
}

diesel::allow_tables_to_appear_in_same_query!(card_chains, timelines);

parts! {
    /// The columns of a card that decide its messages.
    struct CardRow of cards {
        account_id,
        id,
        budget_id,
        currency,
        state,
        user_token,
        expires_on,
    }
}

changes! {
    /// The state of a card after a transition.
    struct StateChange of cards {
        set { state, }
        by { account_id, id, }
    }

    /// The usage of a spending limit.
    struct LimitChange of spending_limits {
        set { window_start, spent_minor, uses, }
        by { account_id, card_id, limit_window, }
    }

    /// The state of the first message of a chain, after a later one.
    struct FirstMessageChange of card_transactions {
        set { state, }
        by { account_id, token, }
        if "t.preceding IS NULL"
    }

    /// An open chain after a further message.
    struct ChainChange of card_chains {
        set { held_minor, cleared_minor, ended_by, due_at, original_held_minor, original_cleared_minor, }
        by { account_id, id, }
        if "t.ended_by IS NULL"
    }
}

lookups! {
    /// Cards, each with its limits: one row for each limit, or one row for a card without limits.
    struct CardsAndLimits: (CardRow, Option<LimitRow>) {
        from cards by (account_id, id)
        join "LEFT JOIN spending_limits ON spending_limits.account_id = cards.account_id \
            AND spending_limits.card_id = cards.id"
        order by "cards.account_id, cards.id, spending_limits.limit_window"
    }

    /// Messages, each with its chain, if it has one.
    struct MessagesAndChains: (MessageRow, Option<ChainRow>) {
        from card_transactions by (account_id, token)
        join "LEFT JOIN card_chains ON card_chains.account_id = card_transactions.account_id \
            AND card_chains.id = card_transactions.chain_id"
    }
}
