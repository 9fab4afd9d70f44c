//! Reading pages, against a server of our own.

use std::net::SocketAddr;

use hearth_contract::tool::ToolError;
use hearth_net::Endpoint;
use hearth_tools::NetworkAccess;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::fixture::Fixture;

async fn server() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Answers one request.
async fn answer(listener: &TcpListener, response: &str) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 4096];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    stream.write_all(response.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_page_is_read_as_text() {
    let (listener, address) = server().await;
    let url = format!("http://{address}/茶");
    let fixture = Fixture::with(NetworkAccess::Refused, vec![Endpoint::of(&url).unwrap()]);
    let response = "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>没有</h1><p>这页</p>";
    let (text, ()) =
        tokio::join!(fixture.text("http_get", json!({ "url": url })), answer(&listener, response));
    assert!(text.ends_with(", status 404]\n没有\n这页"), "{text}");
}

#[tokio::test]
async fn private_addresses_are_refused_also_behind_a_redirect() {
    let (listener, address) = server().await;
    let fixture =
        Fixture::with(NetworkAccess::Refused, vec![Endpoint::of(&format!("http://{address}")).unwrap()]);
    for url in
        ["http://127.0.0.1:9/", "http://localhost:9/", "http://169.254.169.254/latest", "http://[::1]:9/"]
    {
        let error = fixture.call("http_get", json!({ "url": url })).await.unwrap_err();
        assert!(matches!(error, ToolError::Denied { .. }), "{url}: {error}");
    }
    let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\nconnection: close\r\n\r\n";
    let url = format!("http://{address}/");
    let (result, ()) =
        tokio::join!(fixture.call("http_get", json!({ "url": url })), answer(&listener, redirect));
    assert!(matches!(result, Err(ToolError::Denied { .. })), "{result:?}");
    let error = fixture.error("http_get", json!({"url": "file:///etc/passwd"})).await;
    assert!(error.starts_with("invalid arguments") || error.starts_with("not allowed"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let (listener, address) = server().await;
    let url = format!("http://{address}/");
    let fixture = Fixture::with(NetworkAccess::Refused, vec![Endpoint::of(&url).unwrap()]);
    let silence = async {
        let connection = listener.accept().await.unwrap();
        fixture.clock.advance_to_next().await;
        connection
    };
    let (result, _connection) = tokio::join!(fixture.call("http_get", json!({ "url": url })), silence);
    assert!(matches!(result, Err(ToolError::TimedOut { after_ms: 20_000, .. })), "{result:?}");
    fixture.context.cancel.cancel();
    let result = fixture.call("http_get", json!({ "url": url })).await;
    assert!(matches!(result, Err(ToolError::Cancelled)), "{result:?}");
}
