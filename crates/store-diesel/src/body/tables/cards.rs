//! Cards, their limits, messages and chains.

use super::body::types::{Account, Bytes, Currency, Day, Exchange, Id, Named, Time};
use super::declare::{changes, lookups, parts, tables};
use super::money::budgets;
use super::people::people;
use super::worlds::timelines;
use florin_domain::card::{
    CardOwnerKind, CardState, ChainEnd, ChainKind, FulfillmentStatus, LimitWindow, MessageKind, Network, OverClearing,
    Response, TransactionState,
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
        name: String,
        owner_type: Named<CardOwnerKind>,
        state_reason: Option<String>,
        fulfillment: Named<FulfillmentStatus>,
        phone: Option<String>,
        phone_person_id: Option<Id>,
        replaced_by: Option<Id>,
        created_at: Option<Time>,
        updated_at: Option<Time>,
        person_id: Option<Id>,
        /// The controls as JSON; null for none.
        controls: Option<String>,
        pin_digest: Option<Bytes>,
        /// The virtual card of a physical one; null for a virtual card.
        virtual_card_id: Option<Id>,
        /// The address of a physical card as JSON.
        recipient_address: Option<String>,
    }

    /// The number of an account's cards in one state with one kind of owner.
    struct CardCountRow in card_counts(account_id, state, owner_type) owned by account_id {
        account_id: Account,
        state: Named<CardState>,
        owner_type: Named<CardOwnerKind>,
        total: i64,
    }

    /// A budget that an individual card names.
    struct CardBudgetRow in card_budgets(account_id, card_id, position) owned by account_id {
        account_id: Account,
        card_id: Id,
        position: i64,
        budget_id: Id,
        active: bool,
    }

    /// A text under which a card is found.
    struct WordRow in card_words(account_id, word, card_id) owned by account_id {
        account_id: Account,
        word: String,
        card_id: Id,
    }

    /// A transition of a card to another state.
    struct TransitionRow in card_transitions(account_id, card_id, position) owned by account_id {
        account_id: Account,
        card_id: Id,
        position: i64,
        from_state: Named<CardState>,
        to_state: Named<CardState>,
        reason: Option<String>,
        client_id: Id,
        created_at: Time,
    }

    /// A limit of a card.
    struct LimitRow in card_limits(account_id, card_id, limit_window) owned by account_id {
        account_id: Account,
        card_id: Id,
        limit_window: Named<LimitWindow>,
        id: Id,
        amount_minor: i64,
        max_uses: Option<i64>,
        active: bool,
        /// Whether the client turned it off.
        turned_off: bool,
        window_start: Day,
        spent_minor: i64,
        uses: i64,
        /// The part of `spent_minor` that no chain of the card accounts for, such as the use of a replaced card.
        carried_minor: i64,
        /// The part of `uses` that was carried over with `carried_minor`.
        carried_uses: i64,
    }

    /// A card message.
    struct MessageRow in card_transactions(account_id, token) owned by account_id unchecked {
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
        original_currency: Option<Currency>,
        original_minor: Option<i64>,
        conversion_rate: Option<Exchange>,
        journal_id: Option<Id>,
        /// What only some messages have, as JSON; null for nothing.
        details: Option<String>,
        /// Its place in the feed of changes.
        position: i64,
    }

    /// A chain of card messages.
    struct ChainRow in card_chains(account_id, id) owned by account_id unchecked {
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
        /// The held amount in the merchant's currency. Null if that is the card's currency.
        original_held_minor: Option<i64>,
        /// The cleared amount in the merchant's currency. Null if that is the card's currency.
        original_cleared_minor: Option<i64>,
        /// The amounts that limits of the card counted for the chain, as JSON; null for none.
        counted: Option<String>,
        /// The part of the cleared amount that comes from forced clearings, in the currency of the first message.
        forced_minor: i64,
        /// When the hold of an open chain expires. `due_at` has the same time while something is held.
        expires_at: Option<Time>,
        disputed_minor: i64,
    }

    /// The reason that a message was declined: the checked rules as JSON. The last rule of the list failed.
    struct ReasonRow in decline_reasons(account_id, token) owned by account_id {
        account_id: Account,
        token: Id,
        rules: String,
    }

    /// The card settings of an account.
    struct CardSettingsRow in card_settings(account_id) owned by account_id {
        account_id: Account,
        /// How long holds last, as JSON; null for the default.
        hold_life: Option<String>,
        over_clearing: Named<OverClearing>,
    }
}

diesel::numeric_expr!(card_counts::total);
diesel::allow_tables_to_appear_in_same_query!(card_chains, timelines);
diesel::allow_tables_to_appear_in_same_query!(cards, card_words);
diesel::allow_tables_to_appear_in_same_query!(card_chains, card_limits);
diesel::allow_tables_to_appear_in_same_query!(card_transactions, card_limits);
diesel::allow_tables_to_appear_in_same_query!(cards, card_budgets);

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
        controls,
        pin_digest,
        recipient_address,
    }

    /// The columns of a budget that decide the messages of its cards.
    struct BudgetGuardRow of budgets {
        controls,
    }

    /// The columns of a person that decide the messages of their cards.
    struct HolderRow of people {
        status,
    }
}

changes! {
    /// The columns that a change of a card can set.
    struct CardColumns of cards {
        set {
            state, name, state_reason, fulfillment, phone, phone_person_id, replaced_by, updated_at, person_id,
            controls, pin_digest, recipient_address,
        }
        by { account_id, id, }
        from CardRecordRow keeping {
            budget_id,
            currency,
            user_token,
            expires_on,
            owner_type,
            created_at,
            virtual_card_id,
        }
    }

    /// The usage of a limit.
    struct LimitChange of card_limits {
        set { window_start, spent_minor, uses, carried_minor, carried_uses, }
        by { account_id, card_id, limit_window, }
    }

    /// The state of the first message of a chain, after a later message of the chain.
    struct FirstMessageChange of card_transactions {
        set { state, }
        by { account_id, token, }
        if "t.preceding IS NULL"
    }

    /// A chain after a further message.
    struct ChainChange of card_chains {
        set {
            held_minor, cleared_minor, ended_by, due_at, original_held_minor, original_cleared_minor, counted,
            forced_minor, expires_at, disputed_minor,
        }
        by { account_id, id, }
        from ChainRow keeping { card_id, budget_id, currency, kind, authorised_minor, created_at, }
    }
}

lookups! {
    /// Cards, each with the guards of its budget, its owner and its account, and with its limits: one row for each
    /// limit, or one row for a card without limits.
    struct CardsAndLimits: (CardRow, BudgetGuardRow, Option<HolderRow>, Option<CardSettingsRow>, Option<LimitRow>) {
        from cards by (account_id, id)
        join "JOIN budgets ON budgets.account_id = cards.account_id AND budgets.id = cards.budget_id \
            LEFT JOIN people ON people.account_id = cards.account_id AND people.id = cards.person_id \
            LEFT JOIN card_settings ON card_settings.account_id = cards.account_id \
            LEFT JOIN card_limits ON card_limits.account_id = cards.account_id \
            AND card_limits.card_id = cards.id"
        order by "cards.account_id, cards.id, card_limits.limit_window"
    }

    /// Messages, each with its chain, if it has one.
    struct MessagesAndChains: (MessageRow, Option<ChainRow>) {
        from card_transactions by (account_id, token)
        join "LEFT JOIN card_chains ON card_chains.account_id = card_transactions.account_id \
            AND card_chains.id = card_transactions.chain_id"
    }
}
