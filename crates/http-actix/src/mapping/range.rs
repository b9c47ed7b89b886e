//! Maps amounts out of their range to responses.

use crate::problem::Problem;
use florin_domain::ledger::AmountOutOfRange;

/// Maps an amount out of its range. `path` names the part of the request that is too large.
pub(super) fn out_of_range(error: AmountOutOfRange, path: &str) -> Problem {
    match error {
        AmountOutOfRange::Overflow => Problem::balance_limit(path),
        // Not expected: the rules never take more held or reserved money than there is.
        AmountOutOfRange::BelowZero => Problem::bug(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::http::StatusCode;

    #[test]
    fn only_an_overflow_is_due_to_the_request() {
        let status = |error| out_of_range(error, "body.amount").status_code();
        assert_eq!(status(AmountOutOfRange::Overflow), StatusCode::CONFLICT);
        assert_eq!(status(AmountOutOfRange::BelowZero), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
