"""The work of a function, counted: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def count_steps(function: Callable[..., object], *args: object) -> int:
    """Return how many instructions of Python *function* executes; what one of them does in C is not counted.

    The second of two calls is counted: Python 3.13.0 tells of an instruction only after the function that has it was
    traced once.
    """
    n_steps = 0

    def trace_frame(frame: FrameType, event: str, _: object) -> Callable[..., object]:
        nonlocal n_steps
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        n_steps += event == "opcode"
        return trace_frame

    before = sys.gettrace()  # that of the coverage
    sys.settrace(trace_frame)
    try:
        function(*args)
        n_steps = 0
        function(*args)
    finally:
        sys.settrace(before)
    return n_steps
