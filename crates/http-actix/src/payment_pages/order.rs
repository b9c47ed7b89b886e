//! The order of a session, as the pages show it.

use florin_domain::checkout::{Basket, BasketItem, CheckoutSession};
use florin_domain::merchant::CheckoutType;
use florin_domain::money::Minor;
use florin_pages::{Item, Order, Purpose, Shipping, ShippingRate};

/// Returns the order that a session pays for.
pub(super) fn order_of(session: &CheckoutSession) -> Order {
    let currency = session.amount.currency;
    let item = |item: &BasketItem| Item {
        name: item.name.clone(),
        sku: item.sku.clone(),
        quantity: item.quantity.get(),
        unit_price: Minor(item.unit_price).of(currency),
        line_total: item.price().unwrap_or_default().of(currency),
    };
    Order {
        purpose: match session.purpose.checkout_type() {
            CheckoutType::Shopping => Purpose::Shopping,
            CheckoutType::TopUp => Purpose::TopUp,
        },
        amount: session.amount,
        description: session.description.clone(),
        reference: session.merchant_reference.clone(),
        items: session.basket.iter().flat_map(Basket::items).map(item).collect(),
        shipping: shipping_of(session),
    }
}

fn shipping_of(session: &CheckoutSession) -> Option<Shipping> {
    let shipping = session.shipping.as_ref()?;
    let lines = [
        Some(&shipping.recipient_name),
        Some(&shipping.address_line1),
        shipping.address_line2.as_ref(),
        Some(&shipping.city),
        shipping.region.as_ref(),
        Some(&shipping.postcode),
    ];
    let rate = shipping.rate.as_ref().map(|rate| ShippingRate {
        description: rate.description.clone(),
        amount: Minor(rate.amount).of(session.amount.currency),
    });
    Some(Shipping {
        address: lines.into_iter().flatten().cloned().collect(),
        country_code: shipping.country_code.as_str().to_owned(),
        rate,
    })
}
