"""The stand-ins for CUDA libraries, loaded by the system's own loader."""

import ctypes
import importlib.util
import platform
import struct
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / "deployments" / "torch_for_processors.py"

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the libraries are of Linux on x86-64",
)


@pytest.fixture(scope="module")
def installer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("torch_for_processors", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("version", ["libcudart.so.13", ""])
def test_a_stand_in_loads_and_says_that_there_is_no_device(
    installer: ModuleType, tmp_path: Path, version: str
) -> None:
    functions = ["cudaGetDeviceCount", "cudaMalloc", "cudaGetErrorString", "cudaGetErrorName"]
    path = tmp_path / "libcudart.so.13"
    path.write_bytes(installer.stub_library("libcudart.so.13", functions, version))
    library = ctypes.CDLL(str(path))
    library.cudaGetErrorString.restype = library.cudaGetErrorName.restype = ctypes.c_char_p
    assert (library.cudaGetDeviceCount(), library.cudaMalloc()) == (100, 100)
    assert library.cudaGetErrorString() == library.cudaGetErrorName() == b"CUDA is not installed"
    with pytest.raises(AttributeError):
        _ = library.cudaFree
    # From version 2.41 on glibc loads no library whose stack could be code, and it could where no header says otherwise.
    count = struct.unpack_from("<H", path.read_bytes(), 56)[0]
    headers = [struct.unpack_from("<II", path.read_bytes(), 64 + 56 * n) for n in range(count)]
    assert (0x6474E551, 6) in headers


def test_a_library_tells_what_it_needs_and_leaves_open(installer: ModuleType) -> None:
    import _ctypes

    needed, defined, undefined = installer.read_library(Path(_ctypes.__file__))
    assert "libc.so.6" in needed
    assert "PyInit__ctypes" in defined
    assert {name: version for name, version, _ in undefined}["PyErr_SetString"] == ""
    assert any(file == "libc.so.6" and version.startswith("GLIBC_") for _, version, file in undefined)


def test_code_for_gpus_takes_no_room(installer: ModuleType, tmp_path: Path) -> None:
    """A file of three sections: `.text`, `.nv_fatbin` with a megabyte, and the names of sections."""
    code, device, names = b"\xc3" * 4096, b"\x01" * (1 << 20), b"\0.text\0.nv_fatbin\0.shstrtab\0"
    places = [0, *(64 + n for n in (0, len(code), len(code) + len(device)))]
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, offset, size, 0, 0, 0, 0)
        for name, offset, size in zip((1, 7, 18), places[1:], (4096, 1 << 20, len(names)), strict=True)
    )
    end = 64 + len(code) + len(device) + len(names)
    head = b"\x7fELF".ljust(40, b"\0") + struct.pack("<Q10xHHH", end, 64, 3, 2)
    library = tmp_path / "libtorch_cuda.so"
    library.write_bytes(head + code + device + names + table)
    before = library.stat()
    installer.free_unused(library)
    assert library.read_bytes() == head + code + bytes(1 << 20) + names + table
    after = library.stat()
    assert (after.st_size, before.st_blocks - after.st_blocks > 1_900) == (before.st_size, True)


def test_requirements_on_cuda_leave_the_metadata(installer: ModuleType, tmp_path: Path) -> None:
    info = tmp_path / "torch-2.13.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Name: torch\nRequires-Dist: filelock\nRequires-Dist: nvidia-cudnn-cu13==9.20.0.48; platform_system == 'Linux'\n"
        "Requires-Dist: triton==3.7.1\n",
        "utf-8",
    )
    installer._drop_requirements(tmp_path / "torch")
    assert (info / "METADATA").read_text("utf-8") == "Name: torch\nRequires-Dist: filelock\n"
