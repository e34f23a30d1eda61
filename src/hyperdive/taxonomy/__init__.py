"""Taxonomies: trees over terms, corrections and exports."""
