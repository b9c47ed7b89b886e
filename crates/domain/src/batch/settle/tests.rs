//! Tests of reports.
