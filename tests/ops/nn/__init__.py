"""Tests of neural network ops."""
