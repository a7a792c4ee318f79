"""Tests of transforms, frames and sound files."""
