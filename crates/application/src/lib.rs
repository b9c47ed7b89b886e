//! One use case a file: the order in which rules and ports are asked.
