//! The home page and the docs page: `GET /` and `/docs`.

use serde_json::json;

use crate::support::{Answer, Client, Server, Workspace, demo, expect_json, shared};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn anonymous(server: &Server) -> Client {
    server.client().with_authorization(None)
}

fn browse(client: &Client, path: &str) -> Answer {
    client.call("GET", &format!("{path}?")).header("Accept", BROWSER).send()
}

#[test]
fn the_home_page_introduces_the_sandbox() {
    let page = browse(&anonymous(shared()), "/");
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let html = page.text();
    for part in ["/docs", "/openapi.json", "/readyz", "Ready", "width=device-width", &demo().api_key, &demo().account] {
        assert!(html.contains(part), "{part} is missing: {html}");
    }
    assert!(html.contains(&format!("http://{}/v2", shared().address)) && !html.contains("{{"), "{html}");
    let style = anonymous(shared()).get("/style.css?");
    assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
}

#[test]
fn the_home_page_allows_no_scripts() {
    let page = browse(&anonymous(shared()), "/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("script") && !policy.contains("unsafe"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("vary"), Some("Accept"));
    assert!(!page.text().contains("<script"));
}

#[test]
fn programs_get_json() {
    let client = anonymous(shared());
    for accept in [None, Some("*/*"), Some("application/json")] {
        let mut call = client.call("GET", "/?");
        if let Some(accept) = accept {
            call = call.header("Accept", accept);
        }
        let summary = expect_json(&call.send(), 200);
        assert_eq!((&summary["name"], &summary["environment"]), (&json!("Florin"), &json!("sandbox")));
        assert_eq!(summary["demo"], json!({"accountId": demo().account, "apiKey": demo().api_key}));
        for link in ["docs", "openapi", "health", "readiness"] {
            let found = client.get(&format!("{}?", summary[link].as_str().unwrap()));
            assert_eq!(found.status, 200, "{link}: {found:?}");
        }
    }
    assert_eq!(client.call("POST", "/?").json("{}").send().status, 405);
}

#[test]
fn a_forged_host_is_not_shown() {
    let page =
        anonymous(shared()).call("GET", "/?").header("Accept", BROWSER).header("X-Forwarded-Host", "a'b<c>").send();
    assert!(page.status == 200 && !page.text().contains("a'b") && !page.text().contains("a&#39;b"), "{page:?}");
}

#[test]
fn production_shows_no_demo_key() {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    let server = Server::on(workspace);
    let client = anonymous(&server);
    for path in ["/", "/docs"] {
        let page = browse(&client, path);
        assert!(page.status == 200 && !page.text().contains("florin_sandbox"), "{page:?}");
    }
    let html = browse(&client, "/docs").text();
    assert!(
        html.contains("data-demo-key=\"\""),
        "with a demo key, links.js would send example requests by itself: {html}"
    );
    assert!(browse(&client, "/").text().contains("Production"));
    assert!(expect_json(&client.get("/?"), 200).get("demo").is_none());
}

#[test]
fn a_store_without_the_demo_shows_no_demo_key() {
    let workspace = Workspace::empty();
    assert!(workspace.run(&["init"]).status.success());
    workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let server = Server::on(workspace);
    assert!(!browse(&anonymous(&server), "/").text().contains("florin_sandbox"));
}

#[test]
fn the_docs_page_is_complete_and_works_offline() {
    let client = anonymous(shared());
    for path in ["/docs", "/docs/"] {
        let page = browse(&client, path);
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
        let html = page.text();
        assert!(html.contains("width=device-width") && html.contains(&demo().api_key), "{html}");
        assert!(!html.contains("https://") && !html.contains("<script>"), "{html}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"), "{policy}");
    }
    for (file, kind) in [
        ("docs.js", "text/javascript"),
        ("links.js", "text/javascript"),
        ("docs.css", "text/css"),
        ("swagger-ui-bundle.js", "javascript"),
        ("swagger-ui.css", "text/css"),
        ("favicon-32x32.png", "image/png"),
    ] {
        let found = client.get(&format!("/docs/{file}?"));
        let content_type = found.header("content-type").unwrap_or_default();
        assert!(found.status == 200 && content_type.contains(kind), "{file}: {} {content_type}", found.status);
        assert_eq!(found.header("x-content-type-options"), Some("nosniff"), "{file}");
        let is_compressed = !["docs.js", "links.js", "docs.css"].contains(&file);
        assert_eq!(found.header("content-encoding"), is_compressed.then_some("gzip"), "{file}");
    }
    assert_eq!(client.get("/docs/nothing.js?").status, 404);
    // The script keeps the key until the tab is closed.
    let script = client.get("/docs/docs.js?").text();
    assert!(script.contains("sessionStorage") && !script.contains("localStorage"));
}
