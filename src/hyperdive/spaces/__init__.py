"""Vectors for words: the `VectorSpace` contract and its makers."""
