"""What every room's tests may lean on: the real data where it lies, a warehouse of their own."""

import importlib.util
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from medassay.models.weights import ModelMissing, ensure
from medassay.sql.home import WORK_FILE, make_home
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at

ROOT = Path(__file__).resolve().parent.parent
# Whatever models lie on this machine: the language-model reader takes minutes, and tests name it where they mean it.
os.environ["MEDASSAY_READER"] = "encoder"
# Two files run at a time on two cores: threads that spin while they wait take the other one's.
os.environ.setdefault("OMP_NUM_THREADS", "1")


BEGUN_FIRST = ("flows", "judge_training", "tasks", "golden", "chat", "nli")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders whose files take longest: a long file that begins last leaves the other core idle."""

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        return BEGUN_FIRST.index(folder) if folder in BEGUN_FIRST else len(BEGUN_FIRST)

    items.sort(key=place)


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of real data beside the checkout, or skip."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real data is not beside this checkout")
    return folder


class EmbedderAlone(dict[str, tuple[object, object]]):
    """Keeps no entailment model: tests put their own in its place."""

    def __setitem__(self, role: str, model: tuple[object, object]) -> None:
        if role == "embedder":
            super().__setitem__(role, model)


@pytest.fixture(scope="session", autouse=True)
def embedder_kept() -> None:
    """Load the embedder once, as `medassay.evaluate` does, and not anew in each run of each test."""
    import huggingface_hub.constants  # noqa: F401  # read while the hub is open: it remembers what it found

    from medassay.tasks import model_cache

    model_cache._kept = EmbedderAlone()
    model_cache.keep_models()


@pytest.fixture(scope="session")
def needs_the_embedder() -> None:
    """Skip where the embedder was not pulled."""
    try:
        ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session", autouse=True)
def no_pauses() -> None:
    """Ask a server that gave no answer again at once."""
    from medassay.models.chat import asking

    asking._BACKOFF_S = 0.001


@pytest.fixture(scope="session")
def empty_work_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a work file that has its tables and views and no rows: making them takes two seconds."""
    folder = tmp_path_factory.mktemp("empty")
    warehouse_at(folder)
    close_warehouse(folder)
    return folder / WORK_FILE


def _empty_home(folder: Path, empty_work_file: Path, of: pytest.FixtureRequest) -> Path:
    """Make a home in which nothing was evaluated, under a name of its own where Prefect's cache goes by it."""
    make_home(folder)
    shutil.copyfile(empty_work_file, folder / WORK_FILE)
    if of.node.get_closest_marker("prefect"):
        with duckdb.connect(str(folder / WORK_FILE)) as work:
            work.execute("update warehouse set warehouse_id = ?", [str(uuid.uuid4())])
    return folder


@pytest.fixture
def homes(
    tmp_path: Path, empty_work_file: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Path]]:
    """Return a maker of homes in which nothing was evaluated; their warehouses are closed afterwards."""
    made: dict[str, Path] = {}

    def home(name: str) -> Path:
        if name not in made:
            made[name] = _empty_home(tmp_path / name, empty_work_file, request)
        return made[name]

    yield home
    for folder in made.values():
        close_warehouse(folder)


@pytest.fixture
def home(homes: Callable[[str], Path]) -> Path:
    """Return a home in which nothing was evaluated."""
    return homes("home")


@pytest.fixture(scope="module")
def shared_home(
    tmp_path_factory: pytest.TempPathFactory, empty_work_file: Path, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """Return a home for all tests of a file: something is evaluated in it once, and they read it."""
    folder = _empty_home(tmp_path_factory.mktemp("shared") / "home", empty_work_file, request)
    yield folder
    close_warehouse(folder)


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[Path]:
    """Return where a home may be made; its warehouse is closed afterwards."""
    folder = tmp_path / "new-home"
    yield folder
    close_warehouse(folder)


@pytest.fixture
def warehouse(home: Path) -> Warehouse:
    """Return the warehouse of a home in which nothing was evaluated."""
    return warehouse_at(home)


def _module_beside(name: str) -> Any:
    """Import a module that lies in this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def judge_server() -> Iterator[Any]:
    """Return an OpenAI-compatible server on loopback that misbehaves as told.

    What an earlier server took, and whom it turned away, is forgotten: ports come round again.
    """
    from medassay.models.chat import concurrency, dialect

    dialect._KNOWN.clear()
    concurrency._KNOWN.clear()
    server = _module_beside("judge_server").JudgeServer()
    yield server
    server.close()


@pytest.fixture
def parrot(tmp_path: Path) -> Any:
    """Return what makes the folder of a real, tiny chat model that always says the same: `parrot(name, reply)`."""
    return lambda name, reply: _module_beside("parrot").parrot(tmp_path / name, reply)
