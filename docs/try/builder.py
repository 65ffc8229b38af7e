"""Write the page of ``web2text serve`` as static files, which run Python in the browser: ``docs/conf.py`` calls this.

Pyodide, numpy, lxml, msgspec and safetensors are loaded from its site when a visitor asks for a page. The rest is in
``web2text.zip``: the modules of this package, the models, and the packages that those need.
"""

from importlib.metadata import files
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import scrapy_web2text
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import PACKAGED_MODELS
from scrapy_web2text.view.document import write_trial
from scrapy_web2text.view.trial import MODELS

PYODIDE = "314.0.7"
BASE = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
# What a browser loads from there, compressed, roughly: `check.py` prints what was loaded.
PYODIDE_MB = 11
COMPILED = ("numpy", "lxml", "msgspec", "safetensors")  # which Pyodide has
PURE = ("cssselect", "jmespath", "parsel", "w3lib", "webencodings")
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path(scrapy_web2text.__file__).parent
# What neither an extraction nor the viewer imports.
LEFT_OUT = {"adapters", "alignment", "batch", "cli", "crawl", "evaluation", "labels", "training"}
KINDS = {".py", ".txt", ".html", ".css", ".js"}


def write_site(folder: Path, base: str = BASE, *, seconds: float = 60, measured: str = "") -> None:
    """Write the page and what it loads into *folder*.

    :param base: where Pyodide is: a URL, or a path of the site.
    :param seconds: time for a page, after which its worker is ended: Python cannot interrupt itself in a browser.
    :param measured: what the page says of the size and time of the first answer; by default, about the size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    models = {name: list(get_labeler(name).thresholds) for name in MODELS}
    (folder / "worker.js").write_bytes((HERE / "worker.js").read_bytes())
    with ZipFile(folder / "web2text.zip", "w", ZIP_DEFLATED) as archive:
        for name, path in sorted(list_files().items()):
            entry = ZipInfo(name)  # of 1980, so that each build writes the same bytes
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    size = PYODIDE_MB + (folder / "web2text.zip").stat().st_size / 1e6
    python = {"base": base, "packages": COMPILED, "seconds": seconds, "measured": measured or f" (about {size:.0f} MB)"}
    (folder / "index.html").write_text(write_trial(models, script=str(HERE / "page.js"), python=python), "utf-8")


def list_files() -> dict[str, Path]:
    """Return the files of the archive by their names in it."""
    found = {"answer.py": HERE / "answer.py", "scrapy_web2text/LICENSE": ROOT / "LICENSE"}
    for path in PACKAGE.rglob("*.*"):
        name = path.relative_to(PACKAGE)
        if path.suffix in KINDS and name.parts[0] not in LEFT_OUT:
            found[f"scrapy_web2text/{name.as_posix()}"] = path
    for model in PACKAGED_MODELS:
        for path in (ROOT / "models" / model).iterdir():
            if path.name in ("manifest.json", "weights.safetensors"):
                found[f"scrapy_web2text/models/{model}/{path.name}"] = path
    for package in PURE:
        for path in files(package) or ():
            if path.parts[0] != ".." and (path.suffix == ".py" or path.stem == "LICENSE"):
                found[path.as_posix()] = Path(path.locate())
    return found
