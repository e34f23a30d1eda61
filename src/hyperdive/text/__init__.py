"""Text to ids: reading files, words, lemmas, tags, stop words, phrases, the vocabulary and the encoded corpus."""
