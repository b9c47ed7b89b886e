//! Types of the members of merchant requests.

use super::member::{FieldType, Schemas, plain_text};
use super::values::{any_of, named, of_format, texts};
use crate::json::{Place, Reading, Value};
use florin_domain::access::Environment;
use florin_domain::checkout::{
    CountryCode, MerchantPaymentKind, MerchantPaymentStatus, PayerOutcome, PaymentSort, SessionStatus,
};
use florin_domain::fault::Flaw;
use florin_domain::ids::{
    CheckoutSessionId, MerchantOrderId, MerchantPaymentId, PayeeId, RefundId, SettlementAccountId,
};
use florin_domain::merchant::{
    Approval, ApprovalStatus, BankDetailsType, BankId, Colour, Locale, MerchantCurrency, MerchantName, MerchantStatus,
    WebUrl,
};
use florin_domain::text::Text;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType};
use utoipa::openapi::{RefOr, Schema};

named! {
    Approval: [Approval::Approve, Approval::Reject], |approval| approval.status().as_str();
    ApprovalStatus: ApprovalStatus::ALL, ApprovalStatus::as_str;
    BankDetailsType: BankDetailsType::ALL, BankDetailsType::as_str;
    MerchantCurrency: MerchantCurrency::ALL, MerchantCurrency::as_str;
    MerchantPaymentKind: MerchantPaymentKind::ALL, MerchantPaymentKind::as_str;
    MerchantPaymentStatus: MerchantPaymentStatus::ALL, MerchantPaymentStatus::as_str;
    MerchantStatus: MerchantStatus::ALL, MerchantStatus::as_str;
    PayerOutcome: PayerOutcome::ALL, PayerOutcome::as_str;
    PaymentSort: PaymentSort::ALL, PaymentSort::as_str;
    SessionStatus: SessionStatus::ALL, SessionStatus::as_str;
}

/// The colour of buttons. White text on it must be readable.
pub(crate) struct PrimaryColour(pub(crate) Colour);
/// The colour of the page. Text on it must be readable.
pub(crate) struct BackgroundColour(pub(crate) Colour);

/// The sort code of a UK account, as sent. It is checked together with the account number.
pub(crate) struct SortCodeText(pub(crate) String);
/// The number of a UK account, as sent. It is checked together with the sort code.
pub(crate) struct AccountNumberText(pub(crate) String);
/// An IBAN, as sent.
pub(crate) struct IbanText(pub(crate) String);

texts! {
    BankId: Self::parse, plain_text().pattern(Some("^[0-9a-fA-F]{32}$"));
    CheckoutSessionId: Self::parse, of_format(KnownFormat::Uuid);
    CountryCode: Self::parse, plain_text().pattern(Some(any_of(Self::ALL)));
    MerchantOrderId: Self::parse, of_format(KnownFormat::Uuid);
    MerchantPaymentId: Self::parse, of_format(KnownFormat::Uuid);
    PayeeId: Self::parse, of_format(KnownFormat::Uuid);
    RefundId: Self::parse, of_format(KnownFormat::Uuid);
    SettlementAccountId: Self::parse, of_format(KnownFormat::Uuid);
    PrimaryColour: |text| Colour::parse_primary(text).map(Self), colour();
    BackgroundColour: |text| Colour::parse_background(text).map(Self), colour();
    Locale: Self::parse, plain_text().pattern(Some("^[a-zA-Z]{2,3}(-[a-zA-Z]{4})?(-([a-zA-Z]{2}|[0-9]{3}))?$"));
    MerchantName: Self::parse, plain_text().min_length(Some(1)).max_length(Some(64)).pattern(Some(NOT_BLANK));
    WebUrl: Self::parse, url();
    SortCodeText: |text| bank_text(text).map(Self), plain_text().pattern(Some("^[0-9]{6}$"));
    AccountNumberText: |text| bank_text(text).map(Self), plain_text().pattern(Some("^[0-9]{8}$"));
    IbanText: |text| bank_text(text).map(Self), plain_text().max_length(Some(MAX_BANK_DETAILS)).pattern(Some(IBAN));
}

/// The pattern of a text with a character that is neither white space nor a control character.
const NOT_BLANK: &str = "[^\\s\\u0000-\\u001f\\u007f-\\u009f]";
/// The maximum length of bank details as sent.
const MAX_BANK_DETAILS: usize = 64;
/// The pattern of an IBAN of any country, with or without spaces.
const IBAN: &str = "^ *([A-Za-z] *){2}([0-9] *){2}([0-9A-Za-z] *){11,30}$";

/// Reads bank details.
fn bank_text(text: &str) -> Result<String, Flaw> {
    Text::<1, MAX_BANK_DETAILS>::parse(text).map(Text::into_string)
}

fn colour() -> ObjectBuilder {
    plain_text().pattern(Some("^#[0-9a-fA-F]{6}$"))
}

fn url() -> ObjectBuilder {
    any_url().pattern(Some("^https://"))
}

fn any_url() -> ObjectBuilder {
    plain_text().format(Some(SchemaFormat::Custom("uri".to_owned()))).max_length(Some(WebUrl::MAX))
}

/// The URL of a merchant's page. It must use https. The sandbox also accepts http to a loopback host, for shops in
/// development.
pub(crate) struct PageUrl(pub(crate) WebUrl);

impl FieldType for PageUrl {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = reading.string(value, place)?;
        let url = match reading.context.environment {
            Environment::Sandbox => WebUrl::parse_or_loopback(&text),
            Environment::Production => WebUrl::parse(&text),
        };
        reading.keep(place, url).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        any_url().pattern(Some("^(https|http)://")).build().into()
    }
}

/// A member of a change whose value can't be removed. If it is missing, the value is kept; null is refused.
pub(crate) struct NotNull<T>(Option<T>);

impl<T> NotNull<T> {
    /// Returns the new value, if one was sent.
    pub(crate) fn sent(self) -> Option<T> {
        self.0
    }
}

impl<T: FieldType> FieldType for NotNull<T> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        T::read(value, place, reading).map(|value| Self(Some(value)))
    }

    fn missing() -> Option<Self> {
        Some(Self(None))
    }

    fn null_flaw() -> Option<Flaw> {
        Some(Flaw::required())
    }

    fn schema() -> RefOr<Schema> {
        T::schema()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

/// A member that can't be changed. Every value is refused, including null.
pub(crate) struct Fixed;

impl FieldType for Fixed {
    fn read(_: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        reading.fault(place, cannot_change());
        None
    }

    fn missing() -> Option<Self> {
        Some(Self)
    }

    fn null_flaw() -> Option<Flaw> {
        Some(cannot_change())
    }

    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).read_only(true).build().into()
    }
}

fn cannot_change() -> Flaw {
    Flaw::value("cannot change")
}
