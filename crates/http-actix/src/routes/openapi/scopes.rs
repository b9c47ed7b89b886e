//! The scope that each operation requires. The black-box tests compare it with what the server requires.

use florin_domain::access::Scope::{
    self, AccountsRead, ActivityRead, AddressesLookup, BudgetsRead, BudgetsSimulate, BudgetsWrite, CardsRead,
    CardsSimulate, CardsWrite, EventsRead, IpAddressesRead, IpAddressesWrite, MerchantBanksRead,
    MerchantCheckoutSessionsRead, MerchantCheckoutSessionsWrite, MerchantCheckoutsRead, MerchantCheckoutsWrite,
    MerchantOrdersRead, MerchantPayeesRead, MerchantPayeesWrite, MerchantPaymentsRead, MerchantProfileRead,
    MerchantProfileWrite, MerchantRefundsRead, MerchantRefundsWrite, MerchantSettlementAccountsRead,
    MerchantSettlementAccountsWrite, MerchantSimulate, MerchantTopUpsRead, MerchantTopUpsWrite, PaymentBatchesConfirm,
    PaymentBatchesRead, PaymentBatchesWrite, PeopleRead, PeopleWrite, WebhooksRead, WebhooksWrite,
};

/// Returns the scope of an operation. `None` if it needs no key.
pub(super) fn scope_of(operation: &str) -> Option<Scope> {
    Some(match operation {
        "healthz" | "readyz" => return None,
        merchant if merchant_scope(merchant).is_some() => return merchant_scope(merchant),
        decisions if decision_scope(decisions).is_some() => return decision_scope(decisions),
        "lookupAddresses" => AddressesLookup,
        "listActivity" | "findActivity" => ActivityRead,
        "listEvents" | "streamEvents" => EventsRead,
        "listPaymentBatches"
        | "getPaymentBatch"
        | "listPayments"
        | "listPaymentBatchAlerts"
        | "validatePaymentBatch"
        | "downloadPayments"
        | "getPaymentBatchTemplate" => PaymentBatchesRead,
        "createPaymentBatch" | "updatePaymentBatch" | "deletePaymentBatch" | "uploadPayments" => PaymentBatchesWrite,
        "confirmPaymentBatch" | "openMfaSession" => PaymentBatchesConfirm,
        "listBudgets" | "getBudget" | "getBudgetControls" | "explainBalance" | "checkInvariants" => BudgetsRead,
        "createBudget" | "updateBudget" | "setBudgetControls" | "transfer" => BudgetsWrite,
        "listCards"
        | "getCard"
        | "getCardDetails"
        | "getCardControls"
        | "listCardTransitions"
        | "listSpendingLimits"
        | "listTransactionLimits"
        | "getTransactionChain"
        | "listDisputes"
        | "getDispute" => CardsRead,
        "listAccounts" | "getAccount" => AccountsRead,
        "listIpAddresses" => IpAddressesRead,
        "createIpAddress" | "deleteIpAddress" => IpAddressesWrite,
        "listRoles" | "listPeople" | "getPerson" => PeopleRead,
        "createPerson" | "updatePerson" => PeopleWrite,
        "createCard"
        | "updateCard"
        | "replaceCard"
        | "transitionCard"
        | "setSpendingLimit"
        | "setTransactionLimit"
        | "setCardControls"
        | "setCardPin"
        | "orderPhysicalCard"
        | "removeSpendingLimit"
        | "removeTransactionLimit" => CardsWrite,
        simulated if is_card_simulation(simulated) => CardsSimulate,
        "listEventTypes" | "listWebhooks" | "getWebhook" | "listDeliveries" => WebhooksRead,
        "createWebhook"
        | "updateWebhook"
        | "deleteWebhook"
        | "rotateWebhookSecret"
        | "testWebhook"
        | "redeliver"
        | "recoverWebhook" => WebhooksWrite,
        // All other operations: credits, clocks, worlds and snapshots.
        _ => BudgetsSimulate,
    })
}

/// Whether an operation simulates card messages, or reads or changes the settings that affect them.
fn is_card_simulation(operation: &str) -> bool {
    matches!(
        operation,
        "authorizeTransaction"
            | "adviseTransaction"
            | "incrementTransaction"
            | "clearTransaction"
            | "reverseTransaction"
            | "authorizeRefund"
            | "expireTransaction"
            | "refund"
            | "returnRefund"
            | "debit"
            | "reverseDebit"
            | "inquireBalance"
            | "chargeFee"
            | "openDispute"
            | "addDisputeEvidence"
            | "creditDispute"
            | "resolveDispute"
            | "clearRefund"
            | "reverseRefund"
            | "authorizeAtmWithdrawal"
            | "clearAtmWithdrawal"
            | "getHoldLife"
            | "setHoldLife"
            | "getOverClearing"
            | "setOverClearing"
            | "playScenario"
    )
}

/// Returns the scope of an operation on decision endpoints. `None` if it is another operation.
fn decision_scope(operation: &str) -> Option<Scope> {
    match operation {
        "getCardDecisions" => Some(CardsRead),
        "setCardDecisions" | "deleteCardDecisions" | "rotateCardDecisionsSecret" => Some(CardsWrite),
        _ => None,
    }
}

/// Returns the scope of an operation of merchants. `None` if it is another operation.
fn merchant_scope(operation: &str) -> Option<Scope> {
    Some(match operation {
        "getMerchant" => MerchantProfileRead,
        "updateMerchant" | "setMerchantLogo" => MerchantProfileWrite,
        "listCheckouts" | "getCheckout" => MerchantCheckoutsRead,
        "createCheckout" | "updateCheckout" => MerchantCheckoutsWrite,
        "listSettlementAccounts" | "getSettlementAccount" => MerchantSettlementAccountsRead,
        "createSettlementAccount" | "updateSettlementAccount" | "deleteSettlementAccount" => {
            MerchantSettlementAccountsWrite
        }
        "listPayees" | "getPayee" => MerchantPayeesRead,
        "createPayee" => MerchantPayeesWrite,
        "listCheckoutSessions" | "getCheckoutSession" => MerchantCheckoutSessionsRead,
        "createCheckoutSession" | "cancelCheckoutSession" => MerchantCheckoutSessionsWrite,
        "getTopUp" => MerchantTopUpsRead,
        "createTopUp" | "cancelTopUp" => MerchantTopUpsWrite,
        "listMerchantPayments" | "getMerchantPayment" | "exportMerchantPayments" => MerchantPaymentsRead,
        "getMerchantRefund" => MerchantRefundsRead,
        "createMerchantRefund" => MerchantRefundsWrite,
        "getOrder" => MerchantOrdersRead,
        "administerMerchant"
        | "approveSettlementAccount"
        | "approvePayee"
        | "payCheckoutSession"
        | "authoriseMerchantRefund" => MerchantSimulate,
        "listBanks" => MerchantBanksRead,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_scopes_is_complete() {
        let page = include_str!("../../../../../docs/CONTRACT-CHOICES.md");
        let table = page.split("### 1.1 Authentication").nth(1).unwrap().split("### 1.2").next().unwrap();
        for scope in Scope::ALL {
            assert!(table.contains(&format!("`{scope}`")), "{scope} is not in docs/CONTRACT-CHOICES.md");
        }
    }
}
