//! What tests of batches are made of.
