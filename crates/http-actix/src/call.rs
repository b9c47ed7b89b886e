//! The first steps of every `/v2` operation, in the contract's order of checks (1.3).

use crate::account_guards::{AccountGuard, RequestGuard};
use crate::codes::ErrorCode;
use crate::declare::{
    self, AccountOrBodyParameter, AccountParameter, DryRunParameter, FieldType, PageParameters, Parameters,
};
use crate::extract::body;
use crate::extract::headers::{api_key, idempotency_key};
use crate::extract::query::Query;
use crate::json::{Context, Document, Place, Reading};
use crate::load::overloaded;
use crate::middleware::{record_client, record_world};
use crate::problem::{Problem, expect_valid};
use crate::state::App;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Payload;
use florin_application::{AccessError, ReachError, ReleasableGuard, Requirement, identify, permit, reach_account};
use florin_domain::access::{Account, Caller, Environment};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::page::PageRequest;
use florin_ports::{IdempotencyKey, Mode};

/// A request from an identified caller that has permission.
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) request: &'a HttpRequest,
    pub(crate) caller: Caller,
    pub(crate) query: Query,
    /// The validation errors found so far.
    pub(crate) faults: Faults,
    /// Whether the operation has dry runs.
    has_dry_run: bool,
    /// Marks the request as in progress on its account, so that a restore waits for it. `None`: the account was not
    /// read yet, or the environment is production, where accounts are never restored.
    guard: Option<RequestGuard<'a>>,
    /// Makes other requests wait for this one, which restores, replaces or deletes the world.
    exclusive_guard: Option<AccountGuard>,
}

/// A call that writes, with its body, idempotency key and account.
pub(crate) struct WriteCall<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) body: Option<Document>,
    pub(crate) key: Option<IdempotencyKey>,
    account_id: Option<AccountId>,
}

impl<'a> Call<'a> {
    /// Checks the credentials, rate limit, scope, environment, feature and network, in this order.
    pub(crate) async fn enter(
        app: &'a App,
        request: &'a HttpRequest,
        requirement: &Requirement,
    ) -> Result<Self, Problem> {
        let peer = request.peer_addr().map(|address| address.ip());
        let caller = identify(&app.services, api_key(request)?).await.map_err(|error| match error {
            AccessError::InvalidCredentials { key } => {
                let reason = if key.is_some() { "expired, revoked or wrong API key" } else { "unknown API key" };
                app.services.refusals.count(peer, key, reason);
                let unknown_keys = if key.is_none() { app.unknown_keys.count(peer) } else { Ok(()) };
                unknown_keys.err().map_or_else(|| error.into(), |seconds| too_many("unknown API keys", seconds))
            }
            error => error.into(),
        })?;
        record_client(request, caller.client.id);
        if let Some(Err(seconds)) = app.limiter.as_ref().map(|limiter| limiter.count(caller.client.id)) {
            return Err(too_many("requests", seconds));
        }
        permit(&caller, requirement, app.services.environment, peer).inspect_err(|error| {
            if *error == AccessError::AddressNotAllowed {
                app.services.refusals.count(peer, Some(caller.key.id), "address not allowed");
            }
        })?;
        let query = Query::parse(request.query_string());
        Ok(Self {
            app,
            request,
            caller,
            query,
            faults: Faults::default(),
            has_dry_run: false,
            guard: None,
            exclusive_guard: None,
        })
    }

    /// Reads the body (size, media type, syntax), the idempotency key, and the account of the query.
    pub(crate) async fn with_body(mut self, payload: Payload) -> Result<WriteCall<'a>, Problem> {
        let body = body::json(self.request, payload).await?;
        let key = self.idempotency_key();
        let account_id = self.account_id();
        Ok(WriteCall { call: self, body, key, account_id })
    }

    /// Reads like [`Self::with_body`], for an operation that expects no body.
    pub(crate) async fn without_body(mut self, payload: Payload) -> Result<WriteCall<'a>, Problem> {
        self.no_body(payload).await?;
        let key = self.idempotency_key();
        let account_id = self.account_id();
        Ok(WriteCall { call: self, body: None, key, account_id })
    }

    /// Reads like [`Self::with_body`], for an operation whose body may name the account. See
    /// [`WriteCall::resolve_account`].
    pub(crate) async fn with_body_and_account(mut self, payload: Payload) -> Result<WriteCall<'a>, Problem> {
        let body = body::json(self.request, payload).await?;
        let key = self.idempotency_key();
        let account_id = self.read::<AccountOrBodyParameter>().and_then(|account| account.id);
        Ok(WriteCall { call: self, body, key, account_id })
    }
}

/// Returns a 429 response with the message "too many `what`", and `Retry-After` in seconds.
pub(crate) fn too_many(what: &str, seconds: u64) -> Problem {
    let message = format!("too many {what}; retry after the interval in Retry-After");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "", ErrorCode::RateLimited, message).retry_after(seconds)
}

impl Call<'_> {
    /// Reads a set of parameters. Returns `None` if faults were recorded.
    pub(crate) fn read<P: Parameters>(&mut self) -> Option<P> {
        P::read(self.request, &self.query, &mut self.faults)
    }

    /// Reads the account of the query. Returns `None` if a fault was recorded.
    pub(crate) fn account_id(&mut self) -> Option<AccountId> {
        self.read::<AccountParameter>().map(|account| account.id)
    }

    /// Reads the page of a list. Returns the default if faults were recorded.
    pub(crate) fn page(&mut self) -> PageRequest {
        self.read::<PageParameters>().map(PageRequest::from).unwrap_or_default()
    }

    /// Reads the idempotency key, if one was sent.
    pub(crate) fn idempotency_key(&mut self) -> Option<IdempotencyKey> {
        idempotency_key(self.request, &mut self.faults)
    }

    /// Reads whether the request is a dry run: `dryRun=true`, in the sandbox only. An operation that does not call this
    /// refuses the parameter.
    pub(crate) fn read_mode(&mut self) -> Result<Mode, Problem> {
        self.has_dry_run = true;
        if !self.read::<DryRunParameter>().is_some_and(|parameter| parameter.dry_run) {
            return Ok(Mode::Commit);
        }
        match self.app.services.environment {
            Environment::Sandbox => Ok(Mode::DryRun),
            Environment::Production => Err(AccessError::SandboxOnly.into()),
        }
    }

    /// Reads the body of an operation that expects none.
    pub(crate) async fn no_body(&mut self, payload: Payload) -> Result<(), Problem> {
        if let Some(body) = body::empty(self.request, payload).await? {
            let mut reading = Reading::new(self.context(), &mut self.faults);
            reading.object(body.root(), &Place::Body, &[], |_, _, _, _| false);
            reading.finish()?;
        }
        Ok(())
    }

    /// Reads the declared members of a body. Returns `None` if faults were recorded.
    pub(crate) fn read_body<T: FieldType>(&mut self, body: Option<&Document>) -> Result<Option<T>, Problem> {
        Ok(declare::read(body, self.context(), &mut self.faults)?)
    }

    /// Returns the context in which members are read.
    pub(crate) fn context(&self) -> Context {
        Context { environment: self.app.services.environment, budget: None }
    }

    /// Ends the reading of a request that names no account. All recorded faults are returned as the error.
    pub(crate) fn finish_reading(&mut self) -> Result<(), Problem> {
        if !self.has_dry_run && self.query.has("dryRun") {
            self.faults.push(Flaw::value("is not available for this operation").at("query.dryRun"));
        }
        let faults = std::mem::take(&mut self.faults);
        if faults.is_empty() { Ok(()) } else { Err(Problem::faults(faults.into_vec())) }
    }

    /// Ends the reading of the request, and returns its account. All recorded faults are returned as the error.
    pub(crate) async fn account(&mut self, id: Option<AccountId>) -> Result<Account, Problem> {
        Ok(self.reach(id).await??)
    }

    /// Returns the account like [`Self::account`], for an account that the path names. `what` is the kind of object in
    /// the message of the 404.
    pub(crate) async fn path_account(&mut self, id: Option<AccountId>, what: &str) -> Result<Account, Problem> {
        match self.reach(id).await? {
            Err(ReachError::Absent) => Err(Problem::absent("path.accountId", what)),
            reached => Ok(reached?),
        }
    }

    async fn reach(&mut self, id: Option<AccountId>) -> Result<Result<Account, ReachError>, Problem> {
        self.finish_reading()?;
        let id = expect_valid(id)?;
        let reached = reach_account(&self.app.services, &self.caller, &id).await;
        if reached.is_err() || self.app.services.environment != Environment::Sandbox {
            return Ok(reached);
        }
        self.guard = Some(self.app.account_guards.begin(&id).await);
        self.reach_again(&id).await
    }

    /// Finds the account and the caller again once the request holds its guard. A restore may have changed the
    /// account's clock meanwhile, and the keys of a world end when the world is replaced.
    async fn reach_again(&mut self, id: &AccountId) -> Result<Result<Account, ReachError>, Problem> {
        let services = &self.app.services;
        let reached = reach_account(services, &self.caller, id).await;
        let Ok(account) = &reached else { return Ok(reached) };
        if self.caller.key.may_outlive(account) {
            self.caller = identify(services, api_key(self.request)?).await?;
            if !self.caller.key.reaches(account) {
                return Ok(Err(ReachError::Absent));
            }
        }
        record_world(self.request, account);
        Ok(reached)
    }

    /// Returns the request's guard on its account. The request can release the guard for a while, and reacquire it.
    /// `None`: the request needs no guard.
    pub(crate) fn guard(&self) -> Option<&dyn ReleasableGuard> {
        self.guard.as_ref().map(|guard| guard as &dyn ReleasableGuard)
    }

    /// Waits until no other request is in progress on the account of a world, and makes later requests wait for this
    /// one. Returns a 503 if the other requests do not end in time, and a 403 or 404 if the caller lost its access
    /// while it waited.
    pub(crate) async fn lock_exclusively(&mut self, account: &AccountId) -> Result<(), Problem> {
        self.guard = None;
        self.exclusive_guard = Some(self.app.account_guards.exclusive(account).await.ok_or_else(overloaded)?);
        if self.caller.key.may_list_worlds() {
            match self.reach_again(account).await? {
                Err(ReachError::Absent) => return Err(Problem::absent("path.accountId", "world")),
                reached => {
                    reached?;
                }
            }
        }
        Ok(())
    }
}

impl WriteCall<'_> {
    /// Takes the account from the query or from the body. If both name an account, they must be the same.
    pub(crate) fn resolve_account(&mut self, of_body: Option<&AccountId>) {
        let fault = match (&self.account_id, of_body) {
            (Some(of_query), Some(of_body)) if of_query != of_body => {
                Flaw::value("must equal the accountId of the query").at("body.accountId")
            }
            (None, None) if !self.call.query.has("accountId") => Flaw::required().at("query.accountId"),
            (None, Some(of_body)) if !self.call.query.has("accountId") => {
                self.account_id = Some(of_body.clone());
                return;
            }
            _ => return,
        };
        self.call.faults.push(fault);
    }

    /// Reads the declared members of the body. Returns `None` if faults were recorded.
    pub(crate) fn read<T: FieldType>(&mut self) -> Result<Option<T>, Problem> {
        self.call.read_body(self.body.as_ref())
    }

    /// Reads the body of an operation on the budget in the path. Returns `None` if faults were recorded.
    pub(crate) fn read_for<T: FieldType>(&mut self, budget: Option<BudgetId>) -> Result<Option<T>, Problem> {
        let context = Context { budget, ..self.call.context() };
        Ok(declare::read(self.body.as_ref(), context, &mut self.call.faults)?)
    }

    /// Ends the reading of the request, and returns its account. All recorded faults are returned as the error.
    pub(crate) async fn account(&mut self) -> Result<Account, Problem> {
        let id = self.account_id.take();
        self.call.account(id).await
    }
}
