//! Money: integer minor units with checked arithmetic, exact decimals at the boundary, and no binary floats.

mod currency;
mod decimal;
mod minor;
mod rate;
mod total;

pub use currency::Currency;
pub use decimal::DecimalAmount;
pub use minor::{Minor, Money};
pub use rate::{Quotes, Rate};
pub use total::{Total, TotalMoney};
