//! What the domain needs from the outside world, one trait a file.
