//! `GET /`: what this is and how to talk with it, for somebody who opened the address in a browser.

use axum::response::Html;
use axum::routing::get;

use super::{Access, Reply, Route};

pub(crate) const ROUTES: &[Route] = &[Route::get("/", Reply::Media("text/html"), || get(page))
    .for_whom(Access::Page)
    .says("A page that says what this is")];

async fn page() -> Html<&'static str> {
    Html(include_str!("page.html"))
}
