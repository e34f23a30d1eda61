"""Is x a kind of y? One table of scoring functions, from a name to a function of two batches of vectors."""
