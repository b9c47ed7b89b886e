//! Tests of the filters of sessions and payments.

use super::*;
use crate::ids::CheckoutId;
use crate::test_support::{a_completed_session, a_refund_of, a_session, a_top_up, noon};
use chrono::TimeDelta;
use uuid::Uuid;

fn day(offset: i64) -> NaiveDate {
    (noon() + TimeDelta::days(offset)).date_naive()
}

#[test]
fn sessions_match_by_each_member() {
    let session = a_session("12.50 GBP");
    let matching = SessionFilter {
        from: Some(day(0)),
        to: Some(day(0)),
        checkout: session.purpose.checkout(),
        checkout_type: Some(CheckoutType::Shopping),
        status: Some(SessionStatus::Open),
        merchant_reference: session.merchant_reference.clone(),
    };
    assert!(SessionFilter::default().matches(&session) && matching.matches(&session));
    let others = [
        SessionFilter { from: Some(day(1)), ..matching.clone() },
        SessionFilter { to: Some(day(-1)), ..matching.clone() },
        SessionFilter { from: Some(day(1)), to: Some(day(-1)), ..SessionFilter::default() },
        SessionFilter { checkout: Some(CheckoutId(Uuid::nil())), ..matching.clone() },
        SessionFilter { checkout_type: Some(CheckoutType::TopUp), ..matching.clone() },
        SessionFilter { status: Some(SessionStatus::Expired), ..matching.clone() },
        SessionFilter { merchant_reference: Some("Invoice".into()), ..matching },
    ];
    for other in others {
        assert!(!other.matches(&session), "{other:?}");
    }
}

#[test]
fn both_days_are_inclusive_and_in_utc() {
    let filter = SessionFilter { from: Some(day(0)), to: Some(day(0)), ..SessionFilter::default() };
    let midnight = noon() - TimeDelta::hours(12);
    let moment = TimeDelta::nanoseconds(1);
    for (created_at, is_selected) in [
        (midnight - moment, false),
        (midnight, true),
        (midnight + TimeDelta::days(1) - moment, true),
        (midnight + TimeDelta::days(1), false),
    ] {
        let session = CheckoutSession { created_at, ..a_session("12.50 GBP") };
        assert_eq!(filter.matches(&session), is_selected, "{created_at}");
    }
}

#[test]
fn top_ups_of_budgets_are_listed_as_payments_only() {
    let top_up = a_top_up("12.50 GBP");
    assert!(!SessionFilter::default().matches(&top_up));
    let (_, payment) = a_completed_session("12.50 GBP");
    let top_ups =
        MerchantPaymentFilter { checkout_type: Some(CheckoutType::TopUp), ..MerchantPaymentFilter::default() };
    assert!(MerchantPaymentFilter::default().matches(&payment, &top_up) && top_ups.matches(&payment, &top_up));
}

#[test]
fn payments_match_by_each_member() {
    let (session, payment) = a_completed_session("12.50 GBP");
    let refund = a_refund_of(&payment, "5.00 GBP");
    let matching = MerchantPaymentFilter {
        from: Some(day(0)),
        to: Some(day(0)),
        kind: Some(MerchantPaymentKind::Refund),
        checkout_type: Some(CheckoutType::Shopping),
        status: Some(MerchantPaymentStatus::Pending),
        session: Some(session.id),
        merchant_reference: session.merchant_reference.clone(),
        refunded: Some(payment.id),
    };
    assert!(matching.matches(&refund, &session));
    let others = [
        MerchantPaymentFilter { from: Some(day(1)), ..matching.clone() },
        MerchantPaymentFilter { to: Some(day(-1)), ..matching.clone() },
        MerchantPaymentFilter { kind: Some(MerchantPaymentKind::Payment), ..matching.clone() },
        MerchantPaymentFilter { checkout_type: Some(CheckoutType::TopUp), ..matching.clone() },
        MerchantPaymentFilter { status: Some(MerchantPaymentStatus::Failed), ..matching.clone() },
        MerchantPaymentFilter { session: Some(CheckoutSessionId(Uuid::nil())), ..matching.clone() },
        MerchantPaymentFilter { merchant_reference: Some("Invoice".into()), ..matching.clone() },
        MerchantPaymentFilter { refunded: Some(refund.id), ..matching },
    ];
    for other in others {
        assert!(!other.matches(&refund, &session), "{other:?}");
    }
    let refunds = MerchantPaymentFilter { refunded: Some(payment.id), ..MerchantPaymentFilter::default() };
    assert!(!refunds.matches(&payment, &session));
}
