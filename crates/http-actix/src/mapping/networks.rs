//! Maps refused changes of a client's allowed networks to responses.

use super::write::key_used_before;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::access::NetworkRefusal;

const IP: &str = "body.ip";

/// Maps the refusal of a change of networks.
pub(crate) fn network_problem(refusal: &NetworkRefusal) -> Problem {
    match refusal {
        NetworkRefusal::LocksOutCaller => {
            let message = "would lock out the caller: an allowed network must contain its address";
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        NetworkRefusal::AlreadyListed => Problem::conflict(IP, ErrorCode::InvalidState, "is allowed already"),
        NetworkRefusal::TooMany(max) => {
            let message = format!("a client has at most {max} networks; delete one first");
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        NetworkRefusal::Absent => Problem::absent("path.ipAddressId", "address"),
        NetworkRefusal::CreatedBefore(_) | NetworkRefusal::OtherRequest => key_used_before(vec!["body".to_owned()]),
    }
}
