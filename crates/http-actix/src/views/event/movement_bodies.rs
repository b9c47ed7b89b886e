//! The bodies of events about movements of budgets.

use super::bodies::{Common, bodies};
use crate::views::{Amount, Time};
use florin_domain::event::BudgetEvent;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// Declares the bodies of movements of budgets. Each declaration has the attributes of the member `source`, and the
/// members that only its body has, with their values.
macro_rules! movement_bodies {
    ($(
        $(#[$($doc:tt)*])*
        struct $body:ident in $envelope:ident as $envelope_schema:ident ($names:tt) {
            source: $(#[$($source_doc:tt)*])*,
            $($(#[$($member_doc:tt)*])* $member:ident: $type:ty = $value:expr,)*
        }
        from |$common:ident, $movement:ident|
    )+) => {
        bodies! {$(
            $(#[$($doc)*])*
            struct $body as $body in $envelope as $envelope_schema ($names) {
                /// The number of the movement in the account's sequence.
                box_transaction_id: i64,
                /// The id of the budget.
                #[schema(value_type = String, format = Uuid)]
                budget_id: Uuid,
                /// The name of the budget.
                budget_name: &'a str,
                /// The id of the order that the movement belongs to; null if there is none.
                #[schema(required)]
                order_id: Option<&'a str>,
                /// The payment method, by its name in UK Open Banking.
                payment_method: &'static str,
                /// The reference that the parties see; null if there is none.
                #[schema(required)]
                reference: Option<&'a str>,
                /// The scheme of `identification`, by its name in UK Open Banking.
                #[schema(required)]
                scheme_name: Option<&'static str>,
                /// The amount in minor units, above zero.
                #[schema(minimum = 1)]
                settlement_price_amount: i64,
                /// ISO 4217, alphabetic.
                #[schema(pattern = "^[A-Z]{3}$")]
                settlement_price_currency: &'static str,
                $(#[$($source_doc)*])*
                source: &'static str,
                /// The ledger balance of the budget in this currency after the movement.
                #[schema(value_type = String)]
                ledger_balance: Amount,
                /// `boxTransactionId` as a string.
                sequential_id: String,
                /// Equals `occurredAt`.
                #[schema(value_type = String, format = DateTime)]
                value_date_time: Time,
                /// The BIC of the other party's bank; null if unknown.
                #[schema(required)]
                institution_bic: Option<&'a str>,
                /// The address of the other party's bank; null if unknown.
                #[schema(required)]
                institution_address: Option<&'a str>,
                /// The bank account of the other party, masked except for its last four characters; null if unknown.
                #[schema(required)]
                identification: Option<String>,
                $($(#[$($member_doc)*])* $member: $type,)*
            }
            from |$common, $movement: &'a BudgetEvent| {
                box_transaction_id: $movement.number,
                budget_id: $movement.budget.0,
                budget_name: &$movement.budget_name,
                order_id: $movement.order.as_deref(),
                payment_method: $movement.method.as_str(),
                reference: $movement.reference.as_deref(),
                scheme_name: $movement.identification_scheme(),
                settlement_price_amount: $movement.amount.0,
                settlement_price_currency: $movement.currency.code(),
                source: $movement.source.as_str(),
                ledger_balance: Amount($movement.ledger_balance.of($movement.currency)),
                sequential_id: $movement.number.to_string(),
                value_date_time: Time($common.event.at),
                institution_bic: $movement.institution_bic(),
                institution_address: $movement.institution_address.as_deref(),
                identification: $movement.masked_identification(),
                $($member: $value,)*
            }
        )+}
    };
}

movement_bodies! {
    /// A budget was credited: by a credit, a top-up, a transfer, or a payment that was returned.
    struct BoxCreditedBody in BoxCredited as BoxCreditedEvent ("^BoxCredited$") {
        source:
            /// `deposits` if the money came from outside the account, otherwise `orders`.
            #[schema(pattern = "^(deposits|orders)$")],
        /// The name of the sender; null if unknown.
        #[schema(required)]
        remitters_name: Option<&'a str> = movement.remitters_name.as_deref(),
        /// The address of the sender; null if unknown.
        #[schema(required)]
        remitters_address: Option<&'a str> = movement.remitters_address.as_deref(),
    }
    from |common, movement|

    /// A budget was debited: by a transfer, or by a payment with its fees.
    struct BoxDebitedBody in BoxDebited as BoxDebitedEvent ("^BoxDebited$") {
        source:
            /// Always `orders`.
            #[schema(pattern = "^orders$")],
    }
    from |common, movement|
}
