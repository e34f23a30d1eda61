"""What does it know? Questions to a model that need no gold data."""
