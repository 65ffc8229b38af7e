"""Compiles the hot loops of the package, where there is a compiler; without one, Python does their work."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAMES = ("page._reader", "features._texts", "features.modern._measures", "labelers._sums")
MODULES = tuple(f"scrapy_web2text.{name}" for name in NAMES)


class CompilingBuildHook(BuildHookInterface):
    """Adds the compiled modules to a wheel or, for an editable install, to the source folder."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the modules; say so in one line if that is not possible."""
        if self.target_name != "wheel" or os.environ.get("WEB2TEXT_NO_NATIVE") == "1":
            return
        root = Path(self.root)
        try:
            paths = compile_modules(root, root if version == "editable" else Path(self.directory))
        except Exception as error:  # noqa: BLE001  whatever a compiler lacks
            self.app.display_warning(
                f"Skipped the compiled modules, so a page takes up to three times as long: {error}"
            )
            return
        if version != "editable":
            build_data["pure_python"], build_data["infer_tag"] = False, True
            for module, path in zip(MODULES, paths, strict=True):
                build_data["force_include"][str(path)] = str(source_of(module).with_name(path.name))


def source_of(module: str) -> Path:
    """Return the path of the source of *module*, from the root of the repository."""
    return Path(module.replace(".", "/") + ".pyx")


def compile_modules(root: Path, folder: Path) -> list[Path]:
    """Compile `MODULES` in *root* into *folder*, and return the paths of the libraries."""
    import lxml  # needed for wheels only, like the next three
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    # Without contraction, sums have the same bits on each processor, and in Python.
    flags = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off"]
    extensions = [
        Extension(module, [str(source_of(module))], include_dirs=lxml.get_include(), extra_compile_args=flags)
        for module in MODULES
    ]
    sources = [Path(__file__), *(root / "scrapy_web2text").glob("**/_*.p[xy][ix]")]  # what these include, too
    here = Path.cwd()
    os.chdir(root)  # paths in the library are relative, so that two builds are the same
    try:
        modules = cythonize(extensions, include_path=[str(Path(lxml.__file__).parent.parent)], quiet=True)
        command = Distribution({"name": "scrapy-web2text", "ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder), str(folder / "build")
        command.parallel = len(MODULES)  # the compiler takes about 10 s for each
        command.ensure_finalized()
        paths = [Path(command.get_ext_fullpath(module)).resolve() for module in MODULES]
        newest = max(source.stat().st_mtime for source in sources)
        if not all(path.exists() and path.stat().st_mtime >= newest for path in paths):
            command.run()
    finally:
        os.chdir(here)
    return paths
