"""`tensorflow.tools.docs.doc_controls`: marks for programs that write documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Marked = TypeVar("Marked")


def _marking(mark: str) -> Callable[[Marked], Marked]:
    def decorator(obj: Marked) -> Marked:
        setattr(obj, mark, None)
        return obj

    return decorator


do_not_generate_docs = _marking("_tf_docs_do_not_document")
do_not_doc_inheritable = _marking("_tf_docs_do_not_doc_inheritable")
do_not_doc_in_subclasses = _marking("_tf_docs_do_not_doc_in_subclasses")
for_subclass_implementers = _marking("_tf_docs_tools_for_subclass_implementers")
doc_in_current_and_subclasses = _marking("_tf_docs_doc_in_current_and_subclasses")
doc_private = _marking("_tf_docs_doc_private")
