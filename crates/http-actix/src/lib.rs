//! The HTTP face of Florin on actix-web.
