//! `PATCH /v2/merchant/logo`

use super::common::{MERCHANT, WRITE_PROFILE, render_merchant};
use crate::call::Call;
use crate::codes::ErrorCode;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::extract::body;
use crate::extract::multipart::{NotMultipart, boundary, parts};
use crate::idempotency::{claim_with_body, execute, hash};
use crate::mapping::{logo_problem, logo_refusal};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::LogoErrors;
use crate::state::App;
use crate::uploads::UploadMemory;
use crate::views::MerchantView;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Payload};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use florin_application::set_logo;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::merchant::{LogoRefusal, MAX_LOGO_BYTES, check_logo_file};
use florin_ports::RecordedBody;
use std::convert::Infallible;
use utoipa::ToSchema;

/// Maximum size of the body, in bytes: the file, and 64 KiB for the rest of the form.
const MAX_BYTES: usize = MAX_LOGO_BYTES + 64 * 1024;

/// The name of the form field that contains the file.
const FILE: &str = "file";

/// A form with the new logo.
#[derive(ToSchema)]
#[schema(as = SetLogoRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it describes the form, which is read as bytes")]
pub(crate) struct LogoForm {
    /// The image: PNG, JPEG or WebP, not animated, at most 5 MiB, with sides of at least 256 pixels and at most
    /// 40,000,000 pixels in total. The file name is ignored.
    #[schema(value_type = String, format = Binary)]
    file: (),
}

/// Replaces the logo of the merchant, which its payment pages show.
///
/// The image is scaled to fit into a PNG of 512 x 512 pixels, with transparent margins. The previous URL of the logo
/// then returns 404.
#[utoipa::path(patch, path = "/v2/merchant/logo", tag = "Merchant", operation_id = "setMerchantLogo",
    security(("apiKey" = [WRITE_PROFILE.scope])),
    request_body(content = LogoForm, content_type = "multipart/form-data"),
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The merchant.", body = MerchantView), LogoErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE_PROFILE).await?;
    let (bytes, memory) = receive(&call, payload).await?;
    let boundary =
        boundary(&request).ok_or_else(|| body::unsupported("must be sent as multipart/form-data with a boundary"))?;
    let file = file_of(bytes, memory.clone(), boundary, &mut call.faults).await?;
    let key = call.idempotency_key();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let LogoFile { content, recorded } = expect_valid(file)?;
    let png = app.merchants.logo_images.convert(content).await.map_err(logo_problem)?;
    drop(memory);
    let render = render_merchant(&app);
    let claim = key.map(|key| claim_with_body(&call, key, &account, recorded, render.clone()));
    execute(
        claim,
        MERCHANT,
        |refusal: Infallible| match refusal {},
        render,
        async |claim| set_logo(&app.merchants, &account, png, claim).await,
    )
    .await
}

/// Waits until memory for the body is available, then receives the body.
async fn receive(call: &Call<'_>, payload: Payload) -> Result<(Bytes, UploadMemory), Problem> {
    let reserved = call.app.uploads.reserve(call.caller.client.id, call.request, MAX_BYTES).await?;
    let bytes = body::bytes(call.request, payload, MAX_BYTES).await.map_err(|problem| {
        let is_too_large = problem.status_code() == StatusCode::PAYLOAD_TOO_LARGE;
        if is_too_large { logo_refusal(LogoRefusal::TooLarge) } else { problem }
    })?;
    let memory = reserved.shrink_to(bytes.len());
    Ok((bytes, memory))
}

/// The file of a form.
struct LogoFile {
    content: Vec<u8>,
    /// The hash of the file, for the idempotency record. A hash of the whole body would differ between retries, because
    /// each retry has another boundary.
    recorded: RecordedBody,
}

/// Finds the file in a body, on a blocking thread. Returns `None` if faults were recorded.
async fn file_of(
    bytes: Bytes,
    memory: UploadMemory,
    boundary: String,
    faults: &mut Faults,
) -> Result<Option<LogoFile>, Problem> {
    let found = web::block(move || {
        let _memory = memory;
        let mut faults = Faults::default();
        let content = find_file(&bytes, &boundary, &mut faults)?;
        let file =
            content.map(|content| LogoFile { content: content.to_vec(), recorded: RecordedBody::Hash(hash(content)) });
        Ok::<_, Problem>((file, faults))
    });
    let (file, found) = found.await.map_err(|_| Problem::internal())??;
    found.into_vec().into_iter().for_each(|fault| faults.push(fault));
    Ok(file)
}

/// Finds the file in a body, and checks its size and format. Returns `None` if faults were recorded.
fn find_file<'a>(bytes: &'a [u8], boundary: &str, faults: &mut Faults) -> Result<Option<&'a [u8]>, Problem> {
    let parts = if bytes.is_empty() { Ok(Vec::new()) } else { parts(bytes, boundary) };
    let parts = match parts {
        Ok(parts) => parts,
        Err(NotMultipart(message)) => {
            faults.push(Flaw::format(message).at("body"));
            return Ok(None);
        }
    };
    let mut files = Vec::new();
    for part in parts {
        if part.name == FILE {
            files.push(part.content);
        } else {
            let flaw = Flaw::new(FlawCode::UnknownField, "unknown field");
            faults.push(flaw.at(format!("body.{}", part.name)));
        }
    }
    match files.as_slice() {
        [] => {
            faults.push(Flaw::required().at("body.file"));
            Ok(None)
        }
        [file] => check_logo_file(file).map(|_| Some(*file)).map_err(logo_refusal),
        _ => {
            let (status, code) = (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::PayloadTooLarge);
            Err(Problem::new(status, "body.file", code, "must be sent only once"))
        }
    }
}
