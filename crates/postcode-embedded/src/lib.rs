//! The postcode provider that needs no network: a built-in data set, and what the operator imported.
