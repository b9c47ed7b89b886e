//! `/v2/budgets`

pub(crate) mod explain;
pub(crate) mod generate_credit;
