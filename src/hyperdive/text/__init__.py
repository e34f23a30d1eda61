"""Text to ids: reading files, words, lemmas, tags, stop words, the vocabulary and the encoded corpus."""
