//! `/v2/budgets`

pub(crate) mod generate_credit;
