"""Install PyTorch without CUDA packages where there is no NVIDIA GPU: python deployments/torch_for_processors.py.

The package index's Linux builds of PyTorch require 4 GB of CUDA packages. In order, the first that works:

1. The build that pip finds requires none of them, as on macOS or from a folder of CPU wheels: it is installed.
2. uv installs the CPU build (`--torch-backend=cpu`), where its index can be reached.
3. The index's build is installed alone. Its processor code needs nothing of CUDA, but the loader wants the libraries
   that it is linked to: small ones are written in their place, every function of which returns "no device" (error
   100), and the requirements are taken out of its metadata, so that pip does not fetch them later.

What takes room and nothing here reads, code for GPUs, symbol tables and headers, is given back to the file system.

A self-test multiplies, differentiates and decomposes matrices; where it fails the build is removed again (exit 3).
"""

import ctypes
import json
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict
from importlib import metadata
from pathlib import Path

TORCH = "torch==2.13.0"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
CUDA = ("nvidia-", "cuda-", "triton")
UV_SECONDS = 900
SELF_TEST = """
import torch
x = torch.randn(8, 8, requires_grad=True)
(x @ x).sum().backward()
assert x.grad.shape == (8, 8) and torch.linalg.svd(x.detach()).S.shape == (8,)
assert torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 2, 4, 8)] * 3).shape == (1, 2, 4, 8)
assert not torch.cuda.is_available()
try:
    assert not torch.cuda.is_current_stream_capturing()  # transformers asks this whenever a model reads
except RuntimeError:
    pass
"""
UNUSED_SECTIONS = (b".nv_fatbin", b"__nv_relfatbin", b".symtab", b".strtab", b".debug_")
GNU_STACK = 0x6474E551
TEXTS = ("String", "Name")
NO_DEVICE = b"\xb8\x64\x00\x00\x00\xc3"  # mov eax, 100; ret
MESSAGE = b"\x48\x8d\x05\x01\x00\x00\x00\xc3CUDA is not installed\0"  # lea rax, [rip + 1]; ret


def main() -> int:
    """Install, and return the exit code."""
    if _works():
        return 0
    if _has_gpu():
        return subprocess.call([*PIP, "install", "--no-compile", TORCH])
    required = _requirements_of_the_build()
    if any(one.startswith(CUDA) for one in required):
        code = _without_cuda([one for one in required if not one.startswith(CUDA)])
    else:
        code = subprocess.call([*PIP, "install", "--no-compile", TORCH])
    if code:
        return code
    _free_room(_package())
    if _works():
        return 0
    subprocess.run([*PIP, "uninstall", "--yes", "torch"], check=False)
    print(
        f"{TORCH} does not work without CUDA packages here; install a CPU build of it into .venv, then run make again",
        file=sys.stderr,
    )
    return 3


def _has_gpu() -> bool:
    return Path("/dev/nvidia0").exists() or Path("/proc/driver/nvidia/version").exists()


def _works() -> bool:
    return subprocess.run([sys.executable, "-c", SELF_TEST], capture_output=True).returncode == 0


def _requirements_of_the_build() -> list[str]:
    """Return what the build that pip would take requires here, by its metadata."""
    report = subprocess.run(
        [*PIP, "install", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-", TORCH],
        stdout=subprocess.PIPE,
        text=True,
    )
    if report.returncode:
        sys.exit(report.returncode)
    lines = json.loads(report.stdout)["install"][0]["metadata"].get("requires_dist", [])
    return [line.partition(";")[0].strip() for line in lines if "extra ==" not in line]


def _without_cuda(required: list[str]) -> int:
    if _by_uv() and _works():
        return 0
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print("PyTorch's build for this machine requires CUDA packages: they are installed", file=sys.stderr)
        return subprocess.call([*PIP, "install", "--no-compile", TORCH])
    subprocess.run([*PIP, "install", "--no-compile", *required], check=True)
    subprocess.run([*PIP, "install", "--no-compile", "--no-deps", "--force-reinstall", TORCH], check=True)
    write_stubs(_package() / "lib")
    _drop_requirements(_package())
    return 0


def _package() -> Path:
    return Path(str(metadata.distribution("torch").locate_file("torch")))


def _free_room(package: Path) -> None:
    shutil.rmtree(package / "include", ignore_errors=True)
    for library in (package / "lib").glob("libtorch*.so"):
        free_unused(library)


def _by_uv() -> bool:
    """Try uv's CPU build; False where uv is not to be had or its index cannot be reached."""
    with tempfile.TemporaryDirectory() as folder:
        uv = shutil.which("uv") or f"{folder}/bin/uv"
        if not Path(uv).exists() and subprocess.call([*PIP, "install", "--target", folder, "uv"]):
            return False
        command = [uv, "pip", "install", "--quiet", "--python", sys.executable, "--torch-backend=cpu", TORCH]
        surroundings = os.environ | {"UV_HTTP_TIMEOUT": "20", "UV_HTTP_RETRIES": "0"}
        try:
            done = subprocess.run(command, env=surroundings, timeout=UV_SECONDS, capture_output=True)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


def _drop_requirements(package: Path) -> None:
    """Take requirements on CUDA packages out of the installed metadata."""
    for file in package.parent.glob("torch-*.dist-info/METADATA"):
        lines = file.read_text("utf-8").splitlines(keepends=True)
        dropped = tuple(f"Requires-Dist: {name}" for name in CUDA)
        file.write_text("".join(line for line in lines if not line.startswith(dropped)), "utf-8")


def write_stubs(folder: Path) -> None:
    """Write a library for each that those in the folder need and neither the folder nor the system has."""
    libraries = [read_library(path) for path in sorted(folder.glob("*.so*"))]
    here = {path.name for path in folder.iterdir()}
    missing = sorted({n for needed, _, _ in libraries for n in needed if n not in here and _is_nvidias(n)})
    defined = {name for _, names, _ in libraries for name in names}
    versioned: dict[str, dict[str, str]] = defaultdict(dict)
    plain: set[str] = set()
    for _, _, undefined in libraries:
        for name, version, file in undefined:
            if file in missing:
                versioned[file][name] = version
            elif not file and name not in defined and not name.startswith(("Py", "_Py", "_Z", "__")):
                plain.add(name)
    for file in missing:
        names = sorted(versioned.get(file, plain))
        version = next(iter(versioned[file].values()), "") if file in versioned else ""
        (folder / file).write_bytes(stub_library(file, names, version))


def _is_nvidias(name: str) -> bool:
    """Tell whether it is a library of a CUDA package; libcuda itself is the driver's, opened later if at all."""
    return name.startswith(("libcu", "libnv", "libnccl")) and not name.startswith("libcuda.")


def read_library(path: Path) -> tuple[list[str], set[str], list[tuple[str, str, str]]]:
    """Return what a 64-bit ELF library needs, defines, and leaves open as (name, version, file of the version)."""
    with path.open("rb") as file:

        def at(offset: int, size: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        head = at(0, 64)
        table, size, count = struct.unpack_from("<Q10xHH", head, 40)
        raw = at(table, size * count)
        sections = [struct.unpack_from("<IIQQQQIIQQ", raw, size * n) for n in range(count)]
        by_type = {section[1]: section for section in sections}
        data = {
            kind: at(s[4], s[5]) for kind, s in by_type.items() if kind in (6, 11, 0x6FFFFFFE, 0x6FFFFFFF)
        }
        names = at(sections[by_type[11][6]][4], sections[by_type[11][6]][5])

    def text(offset: int) -> str:
        return names[offset : names.index(b"\0", offset)].decode()

    tags = struct.iter_unpack("<QQ", data[6])
    needed = [text(value) for tag, value in tags if tag == 1]
    versions: dict[int, tuple[str, str]] = {}
    place, more = 0, 1
    while 0x6FFFFFFE in data and more:
        _, _, of, first, more = struct.unpack_from("<HHIII", data[0x6FFFFFFE], place)
        entry, step = place + first, 1
        while step:
            _, _, index, name, step = struct.unpack_from("<IHHII", data[0x6FFFFFFE], entry)
            versions[index] = (text(name), text(of))
            entry += step
        place += more
    defined, undefined = set(), []
    for n, (name, info, _, section, _, _) in enumerate(struct.iter_unpack("<IBBHQQ", data[11])):
        index = struct.unpack_from("<H", data.get(0x6FFFFFFF, b""), 2 * n)[0] if 0x6FFFFFFF in data else 0
        if section:
            defined.add(text(name))
        elif name and info >> 4 == 1:
            undefined.append((text(name), *versions.get(index & 0x7FFF, ("", ""))))
    return needed, defined, undefined


def _elf_hash(name: str) -> int:
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def free_unused(path: Path) -> None:
    """Make holes of an ELF library's sections for GPUs and for debuggers; where files have none, it stays as it is."""
    with path.open("r+b") as file:
        head = file.read(64)
        table, size, count, names_no = struct.unpack_from("<Q10xHHH", head, 40)
        file.seek(table)
        raw = file.read(size * count)
        sections = [struct.unpack_from("<IIQQQQIIQQ", raw, size * n) for n in range(count)]
        file.seek(sections[names_no][4])
        names = file.read(sections[names_no][5])
        for number, (name, *_, offset, length, _, _, _, _) in enumerate(sections):
            unused = names[name : names.index(b"\0", name)].startswith(UNUSED_SECTIONS)
            if unused and number != names_no:
                _punch_hole(file.fileno(), offset, length)


def _punch_hole(descriptor: int, offset: int, length: int) -> None:
    fallocate = ctypes.CDLL(None).fallocate
    fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    fallocate(descriptor, 3, offset, length)  # FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE


def stub_library(soname: str, functions: list[str], version: str) -> bytes:
    """Return an x86-64 ELF library in which each function returns 100, and one that has to return text a message."""
    strings, places = b"\0", {}
    for name in dict.fromkeys([soname, version, *functions]):
        places[name] = len(strings) if name else 0
        strings += name.encode() + b"\0" if name else b""
    n = len(functions) + 1
    parts: dict[str, bytes] = {"head": bytes(64 + 4 * 56)}
    chain = b"".join(struct.pack("<I", k + 1 if 0 < k < n - 1 else 0) for k in range(n))
    parts["hash"] = struct.pack("<III", 1, n, 1 if functions else 0) + chain
    parts["symbols"] = bytes(24 * n)
    parts["strings"] = strings
    parts["versions"] = struct.pack("<H", 0) + struct.pack("<H", 2 if version else 1) * (n - 1)
    parts["definitions"] = b"".join(
        struct.pack("<HHHHIII", 1, flag, index, 1, _elf_hash(name), 20, 28 if index == 1 and version else 0)
        + struct.pack("<II", places[name], 0)
        for index, (flag, name) in enumerate([(1, soname), *([(0, version)] if version else [])], 1)
    )
    parts["code"] = NO_DEVICE.ljust(16, b"\x90") + MESSAGE
    offsets, end = {}, 0
    for name, part in parts.items():
        end = -(-end // 16) * 16
        offsets[name] = end
        end += len(part)
    parts["symbols"] = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", places[f], 0x12, 0, 1, offsets["code"] + 16 * f.endswith(TEXTS), 16)
        for f in functions
    )
    dynamic = [(14, places[soname]), (4, offsets["hash"]), (5, offsets["strings"]), (6, offsets["symbols"])]
    dynamic += [(10, len(strings)), (11, 24)]
    if version:
        dynamic += [(0x6FFFFFF0, offsets["versions"]), (0x6FFFFFFC, offsets["definitions"]), (0x6FFFFFFD, 2)]
    tail = b"".join(struct.pack("<QQ", *one) for one in [*dynamic, (0, 0)])
    start = -(-end // 4096) * 4096
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head = ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 4, 64, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, end, end, 4096)
    head += struct.pack("<IIQQQQQQ", 1, 6, start, start, start, len(tail), len(tail), 4096)
    head += struct.pack("<IIQQQQQQ", 2, 6, start, start, start, len(tail), len(tail), 8)
    head += struct.pack(
        "<IIQQQQQQ", GNU_STACK, 6, 0, 0, 0, 0, 0, 16
    )  # else glibc 2.41 takes its stack for code
    parts["head"] = head
    whole = bytearray(start)
    for name, part in parts.items():
        whole[offsets[name] : offsets[name] + len(part)] = part
    return bytes(whole) + tail


if __name__ == "__main__":
    sys.exit(main())
