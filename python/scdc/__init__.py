"""Semi-crowdsourced deep clustering: items, plus noisy same/different answers of workers about some of them."""
from typing import Dict

from . import baselines, metrics
from ._asking import Outlook, plan, suggest
from ._native import ffi as _ffi, lib as _lib, text as _text
from ._files import read_answers
from .answers import Answers
from .estimator import SCDC
from .simulate import make_blobs, make_pinwheel, simulate_answers

__version__ = _text(_lib.scdc_version()) or ""
__all__ = [
    "SCDC", "Answers", "Outlook", "baselines", "make_blobs", "make_pinwheel", "metrics", "option_names", "plan",
    "read_answers", "simulate_answers", "suggest",
]


def option_names() -> Dict[str, str]:
    """What ``SCDC(options=...)`` takes: each option's name and what it does.

    Examples
    --------
    >>> import scdc
    >>> "learning_rate" in scdc.option_names()
    True
    """
    out: Dict[str, str] = {}
    index, told = 0, _ffi.new("char **")
    while True:
        name = _text(_lib.scdc_options_key(index, told))
        if name is None:
            return out
        out[name] = _text(told[0]) or ""
        index += 1
