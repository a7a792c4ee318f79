"""A program in several modules: which lever of a machine pays most?"""
