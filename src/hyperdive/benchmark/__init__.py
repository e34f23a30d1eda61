"""How good is it? Datasets, measures, and tables beside the paper's."""
