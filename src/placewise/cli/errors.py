"""Why a program was not started; each message is printed as it is."""


class UnusableError(Exception):
    """An option's value makes no sense here; the message says why and what would."""


class NoneFreeError(Exception):
    """Every GPU is taken; the message says by whom."""
