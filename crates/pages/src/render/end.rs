//! The pages after the bank, and the pages for failed requests.

use super::look::Look;
use crate::texts::Headed;
use crate::view;
use crate::view::Purpose;
use askama::Template;

#[derive(Template)]
#[template(path = "waiting.html")]
pub(super) struct Waiting<'a> {
    pub(super) look: Look<'a>,
    pub(super) view: &'a view::Waiting,
}

#[derive(Template)]
#[template(path = "receipt.html")]
pub(super) struct Receipt<'a> {
    pub(super) look: Look<'a>,
    pub(super) view: &'a view::Receipt,
}

impl Receipt<'_> {
    fn said(&self) -> &'static Headed {
        match self.view.order.purpose {
            _ if self.view.is_repeated => &self.look.t.receipt.repeated,
            Purpose::Shopping => &self.look.t.receipt.paid,
            Purpose::TopUp => &self.look.t.receipt.topped_up,
        }
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
pub(super) struct Failed<'a> {
    pub(super) look: Look<'a>,
    pub(super) view: &'a view::Failed,
}

#[derive(Template)]
#[template(path = "ended.html")]
pub(super) struct Ended<'a> {
    look: Look<'a>,
    said: &'static Headed,
    is_expired: bool,
    return_url: Option<&'a str>,
}

impl<'a> Ended<'a> {
    pub(super) fn new(look: Look<'a>, view: &'a view::Ended) -> Self {
        let t = &look.t.ended;
        let (said, is_expired, return_url) = match view {
            view::Ended::Cancelled { return_url } => (&t.cancelled, false, return_url),
            view::Ended::Expired { return_url } => (&t.expired, true, return_url),
        };
        Self { look, said, is_expired, return_url: return_url.as_deref() }
    }
}

#[derive(Template)]
#[template(path = "refund_result.html")]
pub(super) struct RefundResult<'a> {
    pub(super) look: Look<'a>,
    pub(super) view: &'a view::RefundResult,
}

impl RefundResult<'_> {
    fn said(&self) -> &'static Headed {
        match self.view {
            view::RefundResult::Authorised { .. } => &self.look.t.refund.authorised,
            view::RefundResult::Cancelled => &self.look.t.refund.cancelled,
        }
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
pub(super) struct Problem<'a> {
    pub(super) look: Look<'a>,
    pub(super) view: &'a view::Problem,
    pub(super) said: Headed,
}
