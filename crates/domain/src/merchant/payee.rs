//! Payees: bank accounts that receive the money of `TOP_UP` sessions.

use super::manage_settlement_accounts::initial_approval;
use super::{Approval, ApprovalStatus, BankDetails, MerchantCurrency, MerchantProfile};
use crate::ids::{AccountId, PayeeId};
use crate::text::Text;
use chrono::{DateTime, Utc};

/// A bank account of somebody else, which payers of the merchant pay into.
#[derive(Clone, PartialEq, Eq)]
pub struct Payee {
    /// Its id.
    pub id: PayeeId,
    /// The merchant's account.
    pub account: AccountId,
    /// The name of the payee.
    pub name: String,
    /// The bank account that is paid. It determines the currency.
    pub details: BankDetails,
    /// Whether the operator approved its bank details.
    pub approval: ApprovalStatus,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Omits the name, because it is personal data.
impl std::fmt::Debug for Payee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, account, name: _, details, approval, created_at, updated_at } = self;
        f.debug_struct("Payee")
            .field("id", id)
            .field("account", account)
            .field("details", details)
            .field("approval", approval)
            .field("created_at", created_at)
            .field("updated_at", updated_at)
            .finish_non_exhaustive()
    }
}

/// Selects payees. A `None` field selects everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PayeeFilter {
    /// The currency to select.
    pub currency: Option<MerchantCurrency>,
    /// The approval status to select.
    pub approval: Option<ApprovalStatus>,
}

impl PayeeFilter {
    /// Returns whether the filter selects a payee.
    pub fn matches(self, payee: &Payee) -> bool {
        self.currency.is_none_or(|currency| payee.details.currency() == currency)
            && self.approval.is_none_or(|approval| payee.approval == approval)
    }
}

/// Default maximum number of payees of an account.
pub const MAX_PAYEES: u64 = 10_000;

/// The situation for the creation of a payee. An adapter loads it under the lock that serializes changes of a merchant.
#[derive(Clone, Debug)]
pub struct CreatePayeeSituation {
    /// The merchant's profile.
    pub profile: MerchantProfile,
    /// The existing payee with the same bank details, if there is one.
    pub known: Option<Payee>,
    /// Number of payees of the account.
    pub payees: u64,
}

/// A request to create a payee, with the new id and the time.
#[derive(Clone)]
pub struct PayeeRequest {
    /// The id of the new payee.
    pub id: PayeeId,
    /// The merchant's account.
    pub account: AccountId,
    /// The name of the payee.
    pub name: Text<1, 140>,
    /// The bank account that is paid.
    pub details: BankDetails,
    /// The time of creation.
    pub now: DateTime<Utc>,
    /// Maximum number of payees of an account.
    pub max_payees: u64,
}

/// The result of the creation of a payee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedPayee {
    /// The payee.
    pub payee: Payee,
    /// Whether it is new. Otherwise it is an existing payee with the same bank details, unchanged.
    pub is_new: bool,
}

/// Reasons to refuse the creation of a payee. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreatePayeeRefusal {
    /// The account has the maximum number of payees.
    #[error("an account has at most {max} payees")]
    TooMany {
        /// The maximum.
        max: u64,
    },
}

/// Decides the creation of a payee. It is immediately APPROVED if the merchant may create `TOP_UP` checkouts.
///
/// ```
/// use florin_domain::merchant::{
///     ApprovalStatus, CreatePayeeRefusal, CreatePayeeSituation, PayeeRequest, decide_create_payee,
/// };
/// use florin_domain::test_support::{a_merchant, a_payee_request};
///
/// let situation = CreatePayeeSituation { profile: a_merchant(), known: None, payees: 2 };
/// let created = decide_create_payee(&situation, &a_payee_request(1)).unwrap();
/// assert_eq!((created.is_new, created.payee.approval), (true, ApprovalStatus::Pending));
///
/// let request = PayeeRequest { max_payees: 2, ..a_payee_request(1) };
/// assert_eq!(decide_create_payee(&situation, &request), Err(CreatePayeeRefusal::TooMany { max: 2 }));
/// ```
pub fn decide_create_payee(
    situation: &CreatePayeeSituation,
    request: &PayeeRequest,
) -> Result<CreatedPayee, CreatePayeeRefusal> {
    if let Some(known) = &situation.known {
        return Ok(CreatedPayee { payee: known.clone(), is_new: false });
    }
    if situation.payees >= request.max_payees {
        return Err(CreatePayeeRefusal::TooMany { max: request.max_payees });
    }
    let payee = Payee {
        id: request.id,
        account: request.account.clone(),
        name: request.name.as_str().to_owned(),
        details: request.details.clone(),
        approval: initial_approval(&situation.profile),
        created_at: request.now,
        updated_at: request.now,
    };
    Ok(CreatedPayee { payee, is_new: true })
}

/// Reasons to refuse the approval or rejection of a payee. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayeeRefusal {
    /// The operator has already decided.
    #[error("the operator has decided about the payee already")]
    Decided(ApprovalStatus),
}

/// Decides the approval or rejection of a payee by the operator, who can decide only once.
///
/// ```
/// use florin_domain::merchant::{Approval, ApprovalStatus, Payee, PayeeRefusal, decide_payee_approval};
/// use florin_domain::test_support::{a_payee, noon};
///
/// let payee = Payee { approval: ApprovalStatus::Pending, ..a_payee(1) };
/// let approved = decide_payee_approval(&payee, Approval::Approve, noon()).unwrap();
/// assert_eq!(approved.approval, ApprovalStatus::Approved);
///
/// let refused = decide_payee_approval(&approved, Approval::Reject, noon());
/// assert_eq!(refused, Err(PayeeRefusal::Decided(ApprovalStatus::Approved)));
/// ```
pub fn decide_payee_approval(payee: &Payee, approval: Approval, now: DateTime<Utc>) -> Result<Payee, PayeeRefusal> {
    if payee.approval != ApprovalStatus::Pending {
        return Err(PayeeRefusal::Decided(payee.approval));
    }
    // The clock of a world may be ahead of the operator's clock.
    Ok(Payee { approval: approval.status(), updated_at: now.max(payee.updated_at), ..payee.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merchant::MerchantPermission;
    use crate::test_support::{a_merchant, a_payee_request, noon};
    use chrono::TimeDelta;

    fn situation(known: Option<Payee>) -> CreatePayeeSituation {
        CreatePayeeSituation { profile: a_merchant(), known, payees: 2 }
    }

    #[test]
    fn the_same_bank_details_are_the_same_payee() {
        let created = decide_create_payee(&situation(None), &a_payee_request(1)).unwrap();
        assert!(created.is_new && created.payee.approval == ApprovalStatus::Pending);
        let again = PayeeRequest { name: Text::parse("Another").unwrap(), ..a_payee_request(2) };
        let found = decide_create_payee(&situation(Some(created.payee.clone())), &again).unwrap();
        assert_eq!(found, CreatedPayee { is_new: false, ..created });
    }

    #[test]
    fn an_account_has_a_maximum_number_of_payees() {
        let request = |max_payees| PayeeRequest { max_payees, ..a_payee_request(1) };
        let created = decide_create_payee(&situation(None), &request(3)).unwrap();
        let refused = decide_create_payee(&situation(None), &request(2));
        assert_eq!(refused, Err(CreatePayeeRefusal::TooMany { max: 2 }));
        assert!(decide_create_payee(&situation(Some(created.payee)), &request(2)).is_ok(), "the payee exists already");
    }

    #[test]
    fn a_merchant_with_top_up_checkouts_needs_no_approval() {
        let mut permitted = situation(None);
        permitted.profile.permissions.insert(MerchantPermission::CreateTopUpCheckouts);
        let created = decide_create_payee(&permitted, &a_payee_request(1)).unwrap().payee;
        assert_eq!(created.approval, ApprovalStatus::Approved);
        let refused = decide_payee_approval(&created, Approval::Reject, noon());
        assert_eq!(refused, Err(PayeeRefusal::Decided(ApprovalStatus::Approved)));
    }

    #[test]
    fn an_operator_decides_once_and_updated_at_never_goes_back() {
        let payee = decide_create_payee(&situation(None), &a_payee_request(1)).unwrap().payee;
        let early = noon() - TimeDelta::days(1);
        let decided = decide_payee_approval(&payee, Approval::Reject, early).unwrap();
        assert_eq!((decided.approval, decided.updated_at), (ApprovalStatus::Rejected, payee.updated_at));
        let refused = decide_payee_approval(&decided, Approval::Approve, noon());
        assert_eq!(refused, Err(PayeeRefusal::Decided(ApprovalStatus::Rejected)));
    }
}
