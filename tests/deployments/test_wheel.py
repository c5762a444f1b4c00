"""The installed distribution: which names it takes, and that it holds what `serve` and the examples need."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel that setuptools built of the tracked files."""
    folder = tmp_path_factory.mktemp("wheel")
    source, out = folder / "source", folder / "out"
    source.mkdir()
    out.mkdir()
    names = subprocess.run(
        ["git", "ls-files", "-z", "--", ".", ":!tests", ":!docs", ":!benchmarks"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if names.returncode:
        pytest.skip("this is no git checkout")
    subprocess.run(
        ["tar", "-c", "--null", "-T", "-", "-f", str(folder / "source.tar")],
        cwd=ROOT,
        input=names.stdout,
        check=True,
    )
    subprocess.run(["tar", "-x", "-f", str(folder / "source.tar"), "-C", str(source)], check=True)
    build = f"from setuptools.build_meta import build_wheel; print(build_wheel({str(out)!r}))"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (built,) = out.iterdir()
    return built


def test_the_wheel_claims_one_name_and_holds_the_deployments_and_examples(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"medassay"}
    assert {
        "medassay/py.typed",
        "medassay/deployments/prefect.yaml",
        "medassay/examples/library.ipynb",
        "medassay/models/nli/language_model/weights/adapter.safetensors",
        "medassay/sql/glossary.json",
        "medassay/sql/schema.sql",
    } <= set(names)
    (entries,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
    assert "[pytest11]\nmedassay = medassay.pytest_plugin\n" in zipfile.ZipFile(wheel).read(entries).decode()
    carried = {name.removeprefix("medassay/") for name in names}
    for folder in ("examples", "deployments", "sql/migrations"):
        of_checkout = {str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*") if p.is_file()}
        assert {name for name in of_checkout if "__pycache__" not in name} <= carried


def test_a_folder_with_its_own_models_package_is_no_hindrance(wheel: Path, tmp_path: Path) -> None:
    installed, own = tmp_path / "installed", tmp_path / "own"
    zipfile.ZipFile(wheel).extractall(installed)
    for name in ("models", "tasks", "flows", "sql"):
        (own / name).mkdir(parents=True)
        (own / name / "__init__.py").write_text("raise ImportError('the package of another project')\n")
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); sys.path.insert(0, '')\n"
        "import medassay; from importlib.util import find_spec\n"
        f"assert medassay.__file__.startswith({str(installed)!r}), medassay.__file__\n"
        "print(len(medassay.parse_citations('Zinc helps (PMID: 20000001).')), find_spec('models').origin)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=own, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, ["1", str(own / "models" / "__init__.py")]), ran.stderr
