"""Running now: the context, dispatch of op calls, the gradient tape."""
