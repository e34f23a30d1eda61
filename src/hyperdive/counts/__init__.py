"""Co-occurrence counts: their store and merging, PMI, its filter and the inclusion shift."""
