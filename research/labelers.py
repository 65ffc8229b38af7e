"""The labelers of the comparison systems, by the kind that their manifests name."""

from __future__ import annotations

from pkgutil import resolve_name

from research.dragnet.labeler import DragnetLabeler
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.cnn_hmm import CnnHmmLabeler
from scrapy_web2text.labelers.registry import KINDS
from scrapy_web2text.labelers.weights import Model

# Their labelers need torch, which is imported when they are loaded.
_TORCH = {"boilernet": "research.boilernet:BoilernetLabeler", "semtext": "research.semtext.labeler:SemtextLabeler"}


def register_labelers() -> None:
    """Make the package load the comparison systems by their folders, in this process."""
    # A CRF differs only in its training, and its networks have no hidden layers.
    KINDS.update({"crf": CnnHmmLabeler, "dragnet": DragnetLabeler})
    KINDS.update(dict.fromkeys(_TORCH, _load_torch))


def _load_torch(model: Model) -> Labeler:
    try:
        labeler: Labeler = resolve_name(_TORCH[model.entry("labeler", str)])(model)
    except ModuleNotFoundError as error:
        raise ModelError(f"model {model.name} needs {error.name}: pip install 'scrapy-web2text[train]'") from error
    return labeler
