"""Compiles the reader of pages, where there is a compiler; without one, the package reads pages in Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "scrapy_web2text.page._reader"
SOURCE = "scrapy_web2text/page/_reader.pyx"
INCLUDED = "scrapy_web2text/page/_attributes.pxi"


class ReaderBuildHook(BuildHookInterface):
    """Adds the compiled reader to a wheel or, for an editable install, to the source folder."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the reader; say so in one line if that is not possible."""
        if self.target_name != "wheel" or os.environ.get("WEB2TEXT_NO_NATIVE") == "1":
            return
        root = Path(self.root)
        try:
            path = compile_reader(root, root if version == "editable" else Path(self.directory))
        except Exception as error:  # noqa: BLE001  whatever a compiler lacks
            self.app.display_warning(f"The reader of pages was not compiled, so extraction takes longer: {error}")
            return
        if version != "editable":
            build_data["pure_python"], build_data["infer_tag"] = False, True
            build_data["force_include"][str(path)] = f"scrapy_web2text/page/{path.name}"


def compile_reader(root: Path, folder: Path) -> Path:
    """Compile the reader in *root* into *folder*, and return the path of the library."""
    import lxml  # noqa: PLC0415  needed for wheels only, like the next three
    from Cython.Build import cythonize  # noqa: PLC0415
    from setuptools import Distribution, Extension  # noqa: PLC0415

    flags = ["/O2"] if sys.platform == "win32" else ["-O2", "-g0"]
    extension = Extension(MODULE, [SOURCE], include_dirs=lxml.get_include(), extra_compile_args=flags)
    sources = [root / SOURCE, root / INCLUDED, Path(__file__)]
    here = Path.cwd()
    os.chdir(root)  # paths in the library are relative, so that two builds are the same
    try:
        modules = cythonize([extension], include_path=[str(Path(lxml.__file__).parent.parent)], quiet=True)
        command = Distribution({"name": "scrapy-web2text", "ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder), str(folder / "build")
        command.ensure_finalized()
        path = Path(command.get_ext_fullpath(MODULE)).resolve()
        if not path.exists() or path.stat().st_mtime < max(source.stat().st_mtime for source in sources):
            command.run()
    finally:
        os.chdir(here)
    return path
