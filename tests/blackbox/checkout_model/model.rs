//! A model of a session, its payments and its refunds, according to the contract. Times are minutes of the account's
//! clock.

/// Number of minutes in which a refund can be authorised.
const AUTHORISATION_MINUTES: i64 = 20;
/// The largest refund, in minor units.
const MAX_REFUND: i64 = 100_000;

/// The kind of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Shopping,
    /// A SHOPPING session whose page asks for the address.
    Parcel,
    Payee,
    Budget,
}

/// The outcome of a payer's visit at the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Approve,
    Reject,
    Leave,
    Pending,
    FailLater,
    TimeOut,
    TechnicalError,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Leave => "leave",
            Self::Pending => "pending",
            Self::FailLater => "fail_later",
            Self::TimeOut => "time_out",
            Self::TechnicalError => "technical_error",
        }
    }

    /// Whether the bank reports after some minutes.
    pub(super) fn is_late(self) -> bool {
        !matches!(self, Self::Approve | Self::Reject | Self::Leave)
    }

    /// Returns what the bank reports after an approval.
    fn report(self, now: i64, minutes: i64) -> Report {
        let failure = match self {
            Self::FailLater => Some("REJECTED_BY_BANK"),
            Self::TimeOut => Some("TIMED_OUT"),
            Self::TechnicalError => Some("TECHNICAL_ERROR"),
            _ => None,
        };
        Report { at: if self.is_late() { now + minutes } else { now }, failure }
    }
}

/// A future report of the bank, with its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    at: i64,
    failure: Option<&'static str>,
}

/// One attempt to pay.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub(super) status: &'static str,
    pub(super) reason: Option<&'static str>,
}

/// A refund of the payment of a session.
#[derive(Clone, Debug)]
pub(super) struct Refund {
    pub(super) amount: i64,
    pub(super) status: &'static str,
    pub(super) completed: Option<i64>,
    until: i64,
    report: Option<Report>,
}

impl Refund {
    pub(super) fn awaits_authorisation(&self) -> bool {
        self.status == "AWAITING_AUTHORISATION"
    }

    /// Returns the status of the refund's row in the list of payments.
    pub(super) fn row_status(&self) -> &'static str {
        if self.awaits_authorisation() { "PENDING" } else { self.status }
    }
}

/// The stage on which a form of the page depends: the status, the number of payments, whether the payer is at a bank,
/// and whether there is an address.
pub(super) type Stage = (&'static str, usize, bool, bool);

/// A session.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) kind: Kind,
    pub(super) amount: i64,
    pub(super) status: &'static str,
    has_begun: bool,
    pub(super) has_address: bool,
    pub(super) expires: i64,
    /// When the session ended.
    pub(super) ended: Option<i64>,
    pub(super) payments: Vec<Payment>,
    pub(super) refunds: Vec<Refund>,
    report: Option<Report>,
    /// The events of the session, with their times.
    pub(super) events: Vec<(&'static str, i64)>,
}

impl Session {
    pub(super) fn new(kind: Kind, amount: i64, expires: i64) -> Self {
        Self {
            kind,
            amount,
            status: "OPEN",
            has_begun: false,
            has_address: false,
            expires,
            ended: None,
            payments: Vec::new(),
            refunds: Vec::new(),
            report: None,
            events: Vec::new(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.status == "OPEN"
    }

    pub(super) fn is_completed(&self) -> bool {
        self.status == "COMPLETED"
    }

    pub(super) fn is_shopping(&self) -> bool {
        matches!(self.kind, Kind::Shopping | Kind::Parcel)
    }

    /// Whether passing time can change the session.
    pub(super) fn is_live(&self) -> bool {
        self.ended.is_none()
            || self.refunds.iter().any(|refund| refund.awaits_authorisation() || refund.report.is_some())
    }

    /// Whether the page asks for the address before anything else.
    pub(super) fn lacks_address(&self) -> bool {
        self.kind == Kind::Parcel && !self.has_address
    }

    pub(super) fn is_at_bank(&self) -> bool {
        self.payments.last().is_some_and(|payment| payment.status == "PENDING")
    }

    pub(super) fn stage(&self) -> Stage {
        (self.status, self.payments.len(), self.is_at_bank(), self.has_address)
    }

    /// Returns the amount of the session's payment that can still be refunded.
    pub(super) fn refundable(&self) -> i64 {
        if !self.is_completed() || !self.is_shopping() {
            return 0;
        }
        let taken = self.refunds.iter().filter(|refund| !matches!(refund.status, "FAILED" | "CANCELLED"));
        self.amount - taken.map(|refund| refund.amount).sum::<i64>()
    }

    /// Applies everything that is due.
    pub(super) fn advance(&mut self, now: i64) {
        if let Some(report) = self.report.filter(|report| report.at <= now) {
            self.report = None;
            match report.failure {
                None => {
                    self.end_payment("COMPLETED", None, report.at);
                    self.end("COMPLETED", report.at);
                }
                Some(reason) => {
                    self.end_payment("FAILED", Some(reason), report.at);
                    self.status = "OPEN";
                    if report.at >= self.expires {
                        self.end("ABANDONED", report.at);
                    }
                }
            }
        }
        if self.is_open() && now >= self.expires {
            let end = if self.has_begun { "ABANDONED" } else { "EXPIRED" };
            self.end_payment("CANCELLED", None, self.expires);
            self.end(end, self.expires);
        }
        for refund in &mut self.refunds {
            if refund.awaits_authorisation() && now >= refund.until {
                refund.status = "CANCELLED";
            }
            if let Some(report) = refund.report.filter(|report| report.at <= now) {
                refund.report = None;
                refund.status = if report.failure.is_some() { "FAILED" } else { "COMPLETED" };
                if report.failure.is_none() {
                    refund.completed = Some(report.at);
                    self.events.push(("MerchantRefundCompleted", report.at));
                }
            }
        }
        self.events.sort_by_key(|(_, at)| *at);
    }

    fn record(&mut self, event: &'static str, at: i64) {
        if self.kind != Kind::Budget {
            self.events.push((event, at));
        }
    }

    fn end_payment(&mut self, status: &'static str, reason: Option<&'static str>, at: i64) {
        if let Some(payment) = self.payments.last_mut().filter(|payment| payment.status == "PENDING") {
            (payment.status, payment.reason) = (status, reason);
            // Failed payments of top-ups cause this event, too.
            if status == "FAILED" {
                self.events.push(("MerchantPaymentFailed", at));
            }
        }
    }

    fn end(&mut self, status: &'static str, at: i64) {
        (self.status, self.ended) = (status, Some(at));
        self.record(end_event(status), at);
        if status == "COMPLETED" {
            self.record("MerchantPaymentReconciled", at);
        }
    }

    /// The payer sends a form of the page, which begins the session.
    pub(super) fn begin(&mut self) {
        self.has_begun |= self.is_open();
    }

    /// The payer chooses a bank.
    pub(super) fn choose(&mut self, now: i64) {
        self.begin();
        self.end_payment("CANCELLED", None, now);
        self.payments.push(Payment { status: "PENDING", reason: None });
    }

    /// The payer decides at the bank.
    pub(super) fn decide(&mut self, outcome: Outcome, minutes: i64, now: i64) {
        match outcome {
            Outcome::Reject => self.end_payment("FAILED", Some("REJECTED_BY_BANK"), now),
            Outcome::Leave => self.end_payment("CANCELLED", None, now),
            _ => {
                self.status = "PROCESSING";
                self.report = Some(outcome.report(now, minutes));
            }
        }
        self.advance(now);
    }

    /// The merchant or the payer cancels.
    pub(super) fn cancel(&mut self, now: i64) {
        self.end_payment("CANCELLED", None, now);
        self.end("CANCELLED", now);
    }

    /// The merchant refunds. Returns the path of a refusal.
    pub(super) fn refund(&mut self, amount: i64, now: i64) -> Result<(), &'static str> {
        if !self.is_completed() || !self.is_shopping() {
            return Err("path.paymentId");
        }
        if amount > self.refundable() || amount > MAX_REFUND {
            return Err("body.amount");
        }
        let until = now + AUTHORISATION_MINUTES;
        self.refunds.push(Refund { amount, status: "AWAITING_AUTHORISATION", completed: None, until, report: None });
        Ok(())
    }

    /// The merchant authorises a refund at its bank, or does not.
    pub(super) fn authorise(&mut self, refund: usize, outcome: Outcome, minutes: i64, now: i64) {
        let refund = &mut self.refunds[refund];
        if matches!(outcome, Outcome::Reject | Outcome::Leave) {
            refund.status = "CANCELLED";
        } else {
            (refund.status, refund.report) = ("PENDING", Some(outcome.report(now, minutes)));
        }
        self.advance(now);
    }
}

/// Returns the event for a final status of a session.
fn end_event(status: &str) -> &'static str {
    match status {
        "COMPLETED" => "MerchantCheckoutSessionCompleted",
        "CANCELLED" => "MerchantCheckoutSessionCancelled",
        "ABANDONED" => "MerchantCheckoutSessionAbandoned",
        _ => "MerchantCheckoutSessionExpired",
    }
}
