//! Whom we believe on the other side of TLS.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// A client config that trusts the machine's own roots, or the built-in ones where the machine has none.
///
/// The machine's roots come first because an operator may have added a root of his own or taken one away; the
/// built-in ones let a bare container work. `SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured.
pub(crate) fn client_config() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
