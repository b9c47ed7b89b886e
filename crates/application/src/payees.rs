//! Creates and approves payees.

use crate::MerchantServices;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, PayeeId};
use florin_domain::merchant::{
    Approval, BankDetails, CreatePayeeRefusal, CreatePayeeSituation, CreatedPayee, Payee, PayeeRefusal, PayeeRequest,
    decide_create_payee, decide_payee_approval,
};
use florin_domain::text::Text;
use florin_ports::{ApprovePayeeCommand, CreatePayeeCommand, IdempotencyClaim, Payees, WriteError, Written};
use std::sync::Arc;

/// Creates a payee, or returns the existing one with the same bank details.
pub async fn create_payee(
    services: &MerchantServices,
    account: &Account,
    name: Text<1, 140>,
    details: BankDetails,
    claim: Option<IdempotencyClaim<CreatedPayee>>,
) -> Result<Written<CreatedPayee>, WriteError<CreatePayeeRefusal>> {
    let clock = services.clock_of(account).await?;
    let request = PayeeRequest {
        id: PayeeId(clock.next_id()),
        account: account.id.clone(),
        name,
        details: details.clone(),
        now: clock.now(),
        max_payees: services.max_payees,
    };
    let decide = Arc::new(move |situation: &CreatePayeeSituation| decide_create_payee(situation, &request));
    services.payees.create(CreatePayeeCommand { account: account.id.clone(), details, decide, claim }).await
}

/// Approves or rejects a payee, on behalf of the operator.
pub async fn approve_payee(
    payees: &(impl Payees + ?Sized),
    account: AccountId,
    payee: PayeeId,
    (approval, now): (Approval, DateTime<Utc>),
    claim: Option<IdempotencyClaim<Payee>>,
) -> Result<Written<Payee>, WriteError<PayeeRefusal>> {
    let decide = Arc::new(move |payee: &Payee| decide_payee_approval(payee, approval, now));
    payees.approve(ApprovePayeeCommand { account, payee, decide, claim }).await
}
