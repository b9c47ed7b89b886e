//! Amounts in the requests of merchants.

use crate::declare::{MerchantDecimalText, body};
use florin_domain::checkout::check_merchant_amount;
use florin_domain::fault::{Faults, Flaw};
use florin_domain::merchant::MerchantCurrency;
use florin_domain::money::{DecimalAmount, Money};

body! {
    /// An amount of money.
    pub(crate) struct AmountBody as "MerchantAmountRequest" {
        /// A decimal from 0.01 to 1000000.00.
        #[example("12.50")]
        "amount" => amount: MerchantDecimalText,
        /// `GBP` or `EUR`.
        #[example("GBP")]
        "currencyCode" => currency: MerchantCurrency,
    }
}

impl AmountBody {
    /// Checks the member `amount` of a body. Returns `None` if faults were recorded.
    pub(super) fn read(self, faults: &mut Faults) -> Option<Money> {
        let currency = faults.take("body.amount.currencyCode", self.currency.currency())?;
        let minor = self.amount.0.to_minor(currency).and_then(check_merchant_amount);
        faults.take("body.amount.amount", minor).map(|minor| minor.of(currency))
    }
}

/// Converts a price of zero or more to minor units of the currency of `total`. Returns `None` if a fault was recorded.
pub(super) fn price(amount: &DecimalAmount, total: &Money, path: &str, faults: &mut Faults) -> Option<i64> {
    faults.take(path, amount.to_minor(total.currency)).map(|minor| minor.0)
}

/// Records a fault: a member that does not belong to the session's type was sent.
pub(super) fn not_of_type(member: &str, kind: &str, faults: &mut Faults) {
    faults.push(Flaw::value(format!("must not be sent for {kind}")).at(format!("body.{member}")));
}
