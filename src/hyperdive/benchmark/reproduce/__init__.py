"""Every table of the paper from raw text: one resumable run of stages, then tables, figures and claims."""
