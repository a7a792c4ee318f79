"""What a case is: a function, the arguments it is called with, and whether it is differentiated."""


class Cases(dict):
    """Cases by the names of their functions."""

    def add(self, *calls, gradient=False, **options):
        """Return a decorator that keeps a function with the arguments of its calls."""

        def keep(function):
            if function.__name__ in self:
                raise ValueError(f"two cases named {function.__name__}")
            self[function.__name__] = (function, calls, gradient, options)
            return function

        return keep
