//! The steps that every `/v2` operation begins with, in the contract's order of checks (1.3).

use crate::codes::ErrorCode;
use crate::extract::body;
use crate::extract::headers::{api_key, idempotency_key};
use crate::extract::json::Json;
use crate::extract::query::Query;
use crate::middleware::note_client;
use crate::problem::{Problem, none_of};
use crate::state::App;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Payload;
use florin_application::{Permission, ReachError, identify, permit, reach_account};
use florin_domain::access::{Account, Caller};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::AccountId;
use florin_ports::IdempotencyKey;
use percent_encoding::percent_decode_str;

/// What names an account in a path.
const PATH_ACCOUNT: &str = "path.accountId";

/// A request whose caller is known and may do this.
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) request: &'a HttpRequest,
    pub(crate) caller: Caller,
    pub(crate) query: Query,
    /// What is wrong with its shape, as far as it was read.
    pub(crate) faults: Faults,
}

/// A call that writes: with its body and idempotency key.
pub(crate) struct WriteCall<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) body: Option<Json>,
    pub(crate) key: Option<IdempotencyKey>,
    account_id: Option<AccountId>,
}

impl<'a> Call<'a> {
    /// Credentials, scope, switches.
    pub(crate) async fn enter(
        app: &'a App,
        request: &'a HttpRequest,
        permission: &Permission,
    ) -> Result<Self, Problem> {
        let caller = identify(&app.services, api_key(request)?).await?;
        note_client(request, caller.client.id);
        if let Some(Err(seconds)) = app.limiter.as_ref().map(|limiter| limiter.count(caller.client.id)) {
            let message = "Too many requests; try again later.";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "", ErrorCode::RateLimited, message);
            return Err(problem.retry_after(seconds));
        }
        let peer = request.peer_addr().map(|address| address.ip());
        permit(&caller, permission, app.services.environment, peer)?;
        let query = Query::parse(request.query_string());
        Ok(Self { app, request, caller, query, faults: Faults::default() })
    }

    /// Reads the body, too: size, media type, syntax. Notes the faults of what all writes have in common.
    pub(crate) async fn with_body(mut self, payload: Payload) -> Result<WriteCall<'a>, Problem> {
        let body = body::json(self.request, payload).await?;
        let key = idempotency_key(self.request, &mut self.faults);
        let account_id = self.account_id();
        Ok(WriteCall { call: self, body, key, account_id })
    }

    /// The account that the query names; a fault is noted.
    pub(crate) fn account_id(&mut self) -> Option<AccountId> {
        self.faults.take("query.accountId", self.query.account_id())
    }

    /// Ends the reading: all faults at once, or the account.
    pub(crate) async fn account(&mut self, id: Option<AccountId>) -> Result<Account, Problem> {
        none_of(std::mem::take(&mut self.faults))?;
        let id = crate::problem::read(id)?;
        Ok(reach_account(&self.app.services, &self.caller, &id).await?)
    }
}

impl Call<'_> {
    /// The account that the path names; a fault is noted.
    pub(crate) fn path_account_id(&mut self) -> Option<AccountId> {
        let text = percent_decode_str(self.request.match_info().query("accountId")).decode_utf8();
        let id = text.map_err(|_| Flaw::format("This is not UTF-8.")).and_then(|text| AccountId::parse(&text));
        self.faults.take(PATH_ACCOUNT, id)
    }

    /// Ends the reading, as [`Self::account`] does, of an account that the path names.
    pub(crate) async fn path_account(&mut self, id: Option<AccountId>) -> Result<Account, Problem> {
        none_of(std::mem::take(&mut self.faults))?;
        let id = crate::problem::read(id)?;
        match reach_account(&self.app.services, &self.caller, &id).await {
            Err(ReachError::Absent) => Err(Problem::absent(PATH_ACCOUNT, "account")),
            reached => Ok(reached?),
        }
    }
}

impl WriteCall<'_> {
    /// Ends the reading: all faults at once, or the account.
    pub(crate) async fn account(&mut self) -> Result<Account, Problem> {
        let id = self.account_id.take();
        self.call.account(id).await
    }
}
