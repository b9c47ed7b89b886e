//! A time-out and a cache around any postcode provider.
