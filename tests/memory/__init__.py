"""Tests of the memory pool, the ledger and what they say."""
