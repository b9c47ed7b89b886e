//! The response to a write, which is rendered once: the idempotency record and the caller get the same text.

use crate::views::DryRunView;
use florin_ports::{IdempotencyClaim, StoredResponse};
use std::sync::{Arc, Mutex, PoisonError};

/// The response that the store rendered for the record of a claim, if it did. Only for operations whose record contains
/// exactly what the caller gets: records of payment pages leave the tokens out.
#[derive(Default)]
pub(crate) struct Rendered(Arc<Mutex<Option<StoredResponse>>>);

impl Rendered {
    /// Returns the claim such that its response is kept here. A store that decides again renders again, and stores what
    /// it rendered last.
    pub(crate) fn keep<T: 'static>(&self, claim: Option<IdempotencyClaim<T>>) -> Option<IdempotencyClaim<T>> {
        let mut claim = claim?;
        let (kept, render) = (Arc::clone(&self.0), claim.response);
        claim.response = Arc::new(move |done| {
            let response = render(done);
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(response.clone());
            response
        });
        Some(claim)
    }

    /// Returns a function that returns the kept response. Without one, or for a dry run, it renders the response.
    pub(crate) fn or_render<T>(
        self,
        render: impl FnOnce(&T, Option<DryRunView>) -> StoredResponse,
    ) -> impl FnOnce(&T, Option<DryRunView>) -> StoredResponse {
        move |done, dry_run| {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            kept.filter(|_| dry_run.is_none()).unwrap_or_else(|| render(done, dry_run))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::ids::AccountId;
    use florin_domain::test_support::{CLIENT, noon};
    use florin_ports::{IdempotencyKey, RecordedBody, RecordedRequest};

    fn response(text: &str) -> StoredResponse {
        StoredResponse { status: 200, body: text.to_owned() }
    }

    fn claim() -> IdempotencyClaim<u8> {
        let body = RecordedBody::Json(String::new());
        let request = RecordedRequest { method: String::new(), path: String::new(), query: String::new(), body };
        IdempotencyClaim {
            client: CLIENT,
            account: AccountId::parse("F1").unwrap(),
            key: IdempotencyKey::parse(b"k").unwrap(),
            request: Arc::new(request),
            at: noon(),
            response: Arc::new(|done| response(&done.to_string())),
        }
    }

    #[test]
    fn the_caller_gets_what_was_rendered_last() {
        let rendered = Rendered::default();
        let claim = rendered.keep(Some(claim())).unwrap();
        assert_eq!((claim.response)(&1), response("1"));
        assert_eq!((claim.response)(&2), response("2"));
        assert_eq!(rendered.or_render(|_, _| response("again"))(&2, None), response("2"));
    }

    #[test]
    fn a_response_that_was_not_rendered_for_a_record_is_rendered() {
        let rendered = Rendered::default();
        assert!(rendered.keep::<u8>(None).is_none());
        assert_eq!(rendered.or_render(|_: &u8, _| response("now"))(&1, None), response("now"));
    }
}
