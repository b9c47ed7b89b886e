//! The pages after the bank, and the pages for failed requests.

use super::context::PageContext;
use crate::texts::Headed;
use crate::view;
use crate::view::Purpose;
use askama::Template;

#[derive(Template)]
#[template(path = "waiting.html")]
pub(super) struct Waiting<'a> {
    pub(super) context: PageContext<'a>,
    pub(super) view: &'a view::Waiting,
}

#[derive(Template)]
#[template(path = "receipt.html")]
pub(super) struct Receipt<'a> {
    pub(super) context: PageContext<'a>,
    pub(super) view: &'a view::Receipt,
}

impl Receipt<'_> {
    fn message(&self) -> &'static Headed {
        match self.view.order.purpose {
            _ if self.view.is_repeated => &self.context.texts.receipt.repeated,
            Purpose::Shopping => &self.context.texts.receipt.paid,
            Purpose::TopUp => &self.context.texts.receipt.topped_up,
        }
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
pub(super) struct Failed<'a> {
    pub(super) context: PageContext<'a>,
    pub(super) view: &'a view::Failed,
}

#[derive(Template)]
#[template(path = "ended.html")]
pub(super) struct Ended<'a> {
    context: PageContext<'a>,
    message: &'static Headed,
    is_expired: bool,
    return_url: Option<&'a str>,
}

impl<'a> Ended<'a> {
    pub(super) fn new(context: PageContext<'a>, view: &'a view::Ended) -> Self {
        let texts = &context.texts.ended;
        let (message, is_expired, return_url) = match view {
            view::Ended::Cancelled { return_url } => (&texts.cancelled, false, return_url),
            view::Ended::Expired { return_url } => (&texts.expired, true, return_url),
        };
        Self { context, message, is_expired, return_url: return_url.as_deref() }
    }
}

#[derive(Template)]
#[template(path = "refund_result.html")]
pub(super) struct RefundResult<'a> {
    pub(super) context: PageContext<'a>,
    pub(super) view: &'a view::RefundResult,
}

impl RefundResult<'_> {
    fn message(&self) -> &'static Headed {
        match self.view {
            view::RefundResult::Authorised { .. } => &self.context.texts.refund.authorised,
            view::RefundResult::Cancelled => &self.context.texts.refund.cancelled,
        }
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
pub(super) struct Problem<'a> {
    pub(super) context: PageContext<'a>,
    pub(super) view: &'a view::Problem,
    pub(super) message: Headed,
}
