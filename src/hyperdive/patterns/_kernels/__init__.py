"""Compiled search for is-a statements in tokenised sentences: functions of arrays only."""
