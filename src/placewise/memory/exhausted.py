"""stub"""
Holder=None
out_of_memory=None
