"""Tests of the matrix ops."""
