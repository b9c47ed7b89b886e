//! A shop after `florin export` and `florin import`: its links still work, and everything reads as before.

use serde_json::{Value, json};

use crate::export_import::{export, migrated_workspace, on_sqlite};
use crate::support::assert::text;
use crate::support::load::check_journal;
use crate::support::management::with;
use crate::support::payer::{Payer, heading};
use crate::support::shop::{ORDERS, PAYMENTS, REFUNDS, SESSIONS, create_payee, new_session, open_shop, sold};
use crate::support::storefront::Shop;
use crate::support::worlds::create_world;
use crate::support::{BANKS, CHECKOUTS, Client, PAYEES, SETTLEMENT_ACCOUNTS, Server, expect_json};

/// Returns the URL of a page on another server.
fn url_on(url: &str, server: &Server) -> String {
    let path = url.split_once("/pay/").unwrap().1;
    format!("http://{}/pay/{path}", server.address)
}

#[test]
fn old_links_work_after_an_import() {
    let source = on_sqlite();
    source.json(&["demo", "--json"]);
    let server = Server::on(source);
    let (created, client) = create_world(&server, json!({"template": "empty"}));
    let checkout = open_shop(&client);
    let paid = sold(&client, &checkout, "1");
    let path = format!("{PAYMENTS}/{}/refunds", text(&paid, "/paymentId"));
    let amount = json!({"amount": {"amount": "2.50", "currencyCode": "GBP"}, "reason": "Broken"});
    let refund = expect_json(&client.post(&path, amount.to_string()), 201);
    create_payee(&client);
    let more = json!({"basket": {"items": [{"name": "Mug", "quantity": 2, "unitPrice": "6.25"}]}});
    let open = with(new_session(&checkout, "2"), &more);
    let open = expect_json(&client.post(SESSIONS, open.to_string()), 201);
    let read = |client: &Client| {
        let path_of = |list: &str, id: &str| format!("{list}/{id}");
        let paths = [
            PAYMENTS.to_owned(),
            path_of(PAYMENTS, text(&paid, "/paymentId")),
            path_of(REFUNDS, text(&refund, "/id")),
            path_of(ORDERS, text(&paid, "/orderId")),
            path_of(CHECKOUTS, &checkout),
            SETTLEMENT_ACCOUNTS.to_owned(),
            PAYEES.to_owned(),
            "/v2/merchant".to_owned(),
        ];
        paths.map(|path| expect_json(&client.get(&path), 200))
    };
    let before = read(&client);
    let file = export(server.workspace());
    let source = server.kill();

    let target = migrated_workspace();
    target.json(&["import", &file, "--json"]);
    let server = Server::on(target);
    let client = server.client_of(text(&created, "/apiKey"), &client.account);
    assert_eq!(read(&client), before);
    let found = expect_json(&client.get(&format!("{SESSIONS}/{}", text(&open, "/id"))), 200);
    let mut expected = open.clone();
    expected["checkoutUrl"] = Value::from(url_on(text(&open, "/checkoutUrl"), &server));
    assert_eq!(found, expected);
    let bank = expect_json(&client.get(BANKS), 200)["rows"][0].clone();
    let shop = Shop { client, checkout, bank };
    let visitor = Payer::at(&shop.client, &url_on(text(&open, "/checkoutUrl"), &server));
    assert_eq!(heading(&visitor.pay_as(&shop, "approve")), "Payment complete");
    assert_eq!((shop.status(&open), shop.payments(&open)), ("COMPLETED".to_owned(), vec!["COMPLETED".to_owned()]));
    let merchant = Payer::at(&shop.client, &url_on(text(&refund, "/authorisationUrl"), &server));
    let page = merchant.follow(&[("action", "approve"), ("name", "Ada")]);
    assert_eq!(heading(&page), "Refund approved");
    let refund = expect_json(&shop.client.get(&format!("{REFUNDS}/{}", text(&refund, "/id"))), 200);
    assert_eq!(refund["status"], "COMPLETED");
    check_journal(&server.kill());
    drop(source);
}
