"""Words that all other folders share; knows no other folder and no torch."""
