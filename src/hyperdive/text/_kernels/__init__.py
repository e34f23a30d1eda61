"""Compiled loops over bytes, word forms and ids: functions of arrays only; their slow twins are in the tests."""
