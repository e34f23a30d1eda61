"""Trees over terms: which term stands under which, corrections and exports."""
