//! The bodies of checkout sessions, and their conversion to the types of the domain.

use crate::declare::{Items, PageUrl, WholeNumber, ZeroOrMoreDecimalText, body};
use crate::routes::merchant::amount::{AmountBody, not_of_type, price};
use crate::routes::merchant::common::LIFETIME;
use chrono::TimeDelta;
use florin_application::NewSession;
use florin_domain::checkout::{
    AddressLine, Basket, BasketItem, CountryCode, Postcode, Quantity, RateDescription, RecipientName, ServiceCode,
    SessionTarget, SessionTerms, Shipping, ShippingRate,
};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::{CheckoutId, PayeeId};
use florin_domain::merchant::{CheckoutType, Locale, WebUrl};
use florin_domain::money::Money;
use florin_domain::text::Text;

body! {
    /// A new checkout session.
    pub(crate) struct CreateSessionBody as "CreateCheckoutSessionRequest" {
        /// The type of the checkout.
        #[example("SHOPPING")]
        "type" => checkout_type: CheckoutType,
        /// The checkout, which must be ACTIVE.
        #[example("0198c0de-0003-7000-8000-000000000001")]
        "checkoutId" => checkout: CheckoutId,
        /// The merchant's own key for this session. A second request with the same key returns the first session.
        #[example("basket-7")]
        "idempotencyKey" => idempotency_key: Text<1, 255>,
        /// The merchant's reference for the session.
        #[example("order-7")]
        "merchantReference" => merchant_reference: Text<1, 128>,
        /// The amount to pay, in the currency of the checkout.
        "amount" => amount: AmountBody,
        /// A description of the purchase that the payer sees.
        #[example("Two mugs")]
        "description" => description: Option<Text<1, 140>>,
        /// The https URL that the payer returns to. Default: the return URL of the checkout. The sandbox also accepts
        /// http URLs with loopback hosts.
        "returnUrl" => return_url: Option<PageUrl>,
        /// The locale of the payment page. Default: the locale of the checkout.
        "locale" => locale: Option<Locale>,
        /// Minutes until the session expires. Default: 20.
        "expiresInMinutes" => expires_in: Option<WholeNumber<1, 1440>>,
        /// SHOPPING only: what is bought. The prices of all units and the shipping rate must add up to `amount`.
        "basket" => basket: Option<BasketBody>,
        /// SHOPPING only: where and how the goods are shipped.
        "shipping" => shipping: Option<ShippingBody>,
        /// `TOP_UP` only, and required there: an APPROVED payee with the currency of the checkout.
        "payeeId" => payee: Option<PayeeId>,
    }
}

body! {
    /// What a payer buys.
    pub(crate) struct BasketBody as "BasketRequest" {
        /// 1 to 500 items.
        "items" => items: Items<ItemBody, 1, { Basket::MAX }>,
    }
}

body! {
    /// An item of a basket.
    pub(crate) struct ItemBody as "BasketItemRequest" {
        /// The name of the item.
        #[example("Mug")]
        "name" => name: Text<1, 256>,
        /// The number of units.
        #[example(2)]
        "quantity" => quantity: WholeNumber<1, 100_000>,
        /// The price of one unit, a decimal of zero or more in the currency of the session.
        #[example("6.25")]
        "unitPrice" => unit_price: ZeroOrMoreDecimalText,
        /// The merchant's stock-keeping unit.
        "sku" => sku: Option<Text<1, 128>>,
        /// The merchant's id of the product.
        "productId" => product: Option<Text<1, 128>>,
        /// The tax rate, as text that Florin stores unchanged.
        "taxRate" => tax_rate: Option<Text<1, 32>>,
        /// The https URL of a picture. The payment page never loads it.
        "imageUrl" => image_url: Option<WebUrl>,
    }
}

body! {
    /// Where and how goods are shipped.
    pub(crate) struct ShippingBody as "ShippingRequest" {
        /// The name of the recipient.
        #[example("Ada Lovelace")]
        "recipientName" => recipient_name: RecipientName,
        /// The first line of the address.
        #[example("12 St James's Square")]
        "addressLine1" => address_line1: AddressLine,
        /// The second line of the address.
        "addressLine2" => address_line2: Option<AddressLine>,
        /// The city.
        #[example("London")]
        "city" => city: AddressLine,
        /// The region or county.
        "region" => region: Option<AddressLine>,
        /// The postcode.
        #[example("SW1Y 4JH")]
        "postcode" => postcode: Postcode,
        /// The country, an ISO 3166 code of two capital letters.
        #[example("GB")]
        "countryCode" => country: CountryCode,
        /// The shipping rate.
        "rate" => rate: Option<RateBody>,
    }
}

body! {
    /// A way of shipping, and its price.
    pub(crate) struct RateBody as "ShippingRateRequest" {
        /// The description that the payer sees.
        #[example("Next day")]
        "description" => description: RateDescription,
        /// The price, a decimal of zero or more in the currency of the session.
        #[example("3.00")]
        "amount" => amount: ZeroOrMoreDecimalText,
        /// The merchant's code for the shipping service.
        "serviceCode" => service_code: Option<ServiceCode>,
    }
}

impl CreateSessionBody {
    /// Checks the members together. Returns `None` if faults were recorded.
    pub(super) fn read(self, faults: &mut Faults) -> Option<NewSession> {
        let amount = self.amount.read(faults);
        let target = match self.checkout_type {
            CheckoutType::Shopping => {
                if self.payee.is_some() {
                    not_of_type("payeeId", "SHOPPING", faults);
                }
                amount.as_ref().and_then(|amount| read_shopping(self.basket, self.shipping, amount, faults))
            }
            CheckoutType::TopUp => {
                let members = [("basket", self.basket.is_some()), ("shipping", self.shipping.is_some())];
                for (member, _) in members.into_iter().filter(|(_, is_sent)| *is_sent) {
                    not_of_type(member, "TOP_UP", faults);
                }
                faults.take("body.payeeId", self.payee.ok_or_else(Flaw::required)).map(SessionTarget::TopUp)
            }
        };
        Some(NewSession {
            checkout: self.checkout,
            terms: SessionTerms {
                idempotency_key: self.idempotency_key,
                amount: amount?,
                return_url: self.return_url.map(|url| url.0),
                locale: self.locale,
                lifetime: self.expires_in.map_or(LIFETIME, |minutes| TimeDelta::minutes(minutes.0)),
            },
            target: target?,
            merchant_reference: self.merchant_reference,
            description: self.description,
        })
    }
}

fn read_shopping(
    basket: Option<BasketBody>,
    shipping: Option<ShippingBody>,
    amount: &Money,
    faults: &mut Faults,
) -> Option<SessionTarget> {
    let basket = basket.map(|basket| basket.read(amount, faults));
    let shipping = shipping.map(|shipping| shipping.read(amount, faults));
    match (basket, shipping) {
        (Some(None), _) | (_, Some(None)) => None,
        (basket, shipping) => Some(SessionTarget::Shopping { basket: basket.flatten(), shipping: shipping.flatten() }),
    }
}

impl BasketBody {
    fn read(self, total: &Money, faults: &mut Faults) -> Option<Basket> {
        let Items(items) = self.items;
        let count = items.len();
        let items = items.into_iter().enumerate();
        let items: Vec<_> = items.filter_map(|(index, item)| item.read(index, total, faults)).collect();
        if items.len() < count {
            return None;
        }
        faults.take("body.basket.items", Basket::new(items))
    }
}

impl ItemBody {
    fn read(self, index: usize, total: &Money, faults: &mut Faults) -> Option<BasketItem> {
        let path = |member: &str| format!("body.basket.items[{index}].{member}");
        let unit_price = price(&self.unit_price.0, total, &path("unitPrice"), faults);
        let quantity = faults.take(&path("quantity"), Quantity::new(self.quantity.0));
        Some(BasketItem {
            name: self.name.into_string(),
            quantity: quantity?,
            unit_price: unit_price?,
            sku: self.sku.map(Text::into_string),
            product_id: self.product.map(Text::into_string),
            tax_rate: self.tax_rate.map(Text::into_string),
            image_url: self.image_url.map(|url| url.as_str().to_owned()),
        })
    }
}

impl ShippingBody {
    /// Converts the body, and checks the price of the rate. `total` is the amount of the session. Returns `None` if
    /// faults were recorded.
    pub(crate) fn read(self, total: &Money, faults: &mut Faults) -> Option<Shipping> {
        let rate = match self.rate {
            Some(rate) => {
                let amount = price(&rate.amount.0, total, "body.shipping.rate.amount", faults)?;
                let service_code = rate.service_code.map(Text::into_string);
                Some(ShippingRate { description: rate.description.into_string(), amount, service_code })
            }
            None => None,
        };
        Some(Shipping {
            recipient_name: self.recipient_name.into_string(),
            address_line1: self.address_line1.into_string(),
            address_line2: self.address_line2.map(Text::into_string),
            city: self.city.into_string(),
            region: self.region.map(Text::into_string),
            postcode: self.postcode.into_string(),
            country_code: self.country,
            rate,
        })
    }
}
