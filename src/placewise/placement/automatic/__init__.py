"""Automatic placement: which card each task gets, so that it fits and is quick. Pure."""
