//! The storage ports on Diesel: one body of queries, compiled once per database.
