//! Random lives of batches.
