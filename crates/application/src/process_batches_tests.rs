//! A whole round against mocks.
