"""The questions: one module of API calls per topic."""
