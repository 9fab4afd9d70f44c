//! Refusals as vendors send them, and what the caller is told to do.

use hearth_net::Secret;

use super::*;

/// Writes an error as `what code wait`.
fn check(status: u16, body: &str, expected: &str) {
    let classifier = Classifier::new(Redactor::new([Secret::new("my-own-secret-key")]));
    let error = classifier.refusal(Some(status), &ErrorBody::parse(body), None);
    let found = match &error {
        ProviderError::Retry { .. } => format!("retry {}", error.code()),
        ProviderError::NextSource { .. } => format!("next {}", error.code()),
        ProviderError::ContextTooLong { .. } => "too long".to_owned(),
        ProviderError::Cancelled => "cancelled".to_owned(),
    };
    assert_eq!(found, expected, "{status} {body}");
}

#[test]
fn keys_and_money() {
    check(
        401,
        r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#,
        "next auth",
    );
    check(
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        "next auth",
    );
    check(403, "", "next auth");
    check(400, r#"{"code":"InvalidApiKey","message":"Invalid API-key provided."}"#, "next auth");
    check(
        402,
        r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#,
        "next balance",
    );
    check(
        429,
        r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        "next balance",
    );
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}"#,
        "next balance",
    );
    check(
        400,
        r#"{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}"#,
        "next balance",
    );
}

#[test]
fn busy_and_broken() {
    check(
        429,
        r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#,
        "retry rate_limit",
    );
    check(429, "", "retry rate_limit");
    check(
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "retry overloaded",
    );
    check(
        503,
        r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
        "retry overloaded",
    );
    check(500, r#"{"error":{"message":"boom"}}"#, "retry server");
    check(502, "<html><h1>Bad Gateway</h1></html>", "retry server");
    check(408, "", "retry server");
}

#[test]
fn a_prompt_that_is_too_long() {
    for (status, body) in [
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 140000","type":"invalid_request_error","code":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 129024]"}}"#,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (413, "<html>Request Entity Too Large</html>"),
        (500, r#"{"error":"input is too long for this model's maximum context length"}"#),
    ] {
        check(status, body, "too long");
    }
}

#[test]
fn what_the_user_said_is_not_searched() {
    // A validation error quotes the input, in which a user talks about long prompts.
    check(
        422,
        r#"{"detail":[{"msg":"field required","input":{"messages":[{"content":"prompt is too long, maximum context length"}]}}]}"#,
        "next invalid",
    );
}

#[test]
fn filters_and_wrong_requests() {
    check(
        400,
        r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error","code":"invalid_request_error"}}"#,
        "next content_filter",
    );
    check(
        400,
        r#"{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}"#,
        "next content_filter",
    );
    check(
        400,
        r#"{"error":{"code":"content_filter","message":"…","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        "next content_filter",
    );
    check(
        404,
        r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}"#,
        "next invalid",
    );
    check(400, r#"{"error":{"message":"'messages' is required"}}"#, "next invalid");
    check(307, "", "next invalid");
}

#[test]
fn an_error_inside_a_stream_is_read_by_its_codes() {
    let classifier = Classifier::new(Redactor::default());
    let error =
        classifier.refusal(None, &ErrorBody::parse(r#"{"error":{"message":"x","code":"429"}}"#), None);
    assert!(matches!(error, ProviderError::Retry { code: RateLimit, .. }), "{error:?}");
    let error = classifier.refusal(None, &ErrorBody::parse(r#"{"error":"engine died"}"#), None);
    assert!(matches!(error, ProviderError::Retry { code: Server, .. }), "{error:?}");
}

#[test]
fn reasons_are_short_and_hold_no_secret() {
    let classifier = Classifier::new(Redactor::new([Secret::new("my-own-secret-key")]));
    let long = format!(
        r#"{{"error":{{"message":"key my-own-secret-key and sk-abcdefgh12345678 {}"}}}}"#,
        "x ".repeat(1_000)
    );
    let error = classifier.refusal(Some(401), &ErrorBody::parse(&long), None).to_string();
    assert!(!error.contains("my-own") && !error.contains("sk-abc"), "{error}");
    assert!(error.chars().count() < 340, "{error}");
}

#[test]
fn the_wish_to_wait_is_passed_on() {
    let headers = [("retry-after".parse().unwrap(), "7".parse().unwrap())].into_iter().collect();
    let error =
        hearth_net::StatusError { status: http::StatusCode::TOO_MANY_REQUESTS, headers, body: String::new() };
    let classifier = Classifier::new(Redactor::default());
    let error = classifier.http(&HttpError::Status(Box::new(error)), UnixMs(0));
    assert!(
        matches!(error, ProviderError::Retry { code: RateLimit, retry_after_ms: Some(7_000), .. }),
        "{error:?}"
    );
}
