"""Semi-crowdsourced deep clustering: items, plus noisy same/different answers of workers about some of them."""
from ._native import lib as _lib, text as _text
from .answers import Answers, read_answers
from .estimator import SCDC

__version__ = _text(_lib.scdc_version()) or ""
__all__ = ["SCDC", "Answers", "read_answers"]
