"""What every room's tests may lean on: the real data where it lies, a warehouse of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sql.warehouse import Warehouse, close_warehouse, warehouse_at

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of real data beside the checkout, or skip."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real data is not beside this checkout")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Return an empty home; its warehouse is closed afterwards."""
    folder = tmp_path / "home"
    yield folder
    close_warehouse(folder)


@pytest.fixture
def warehouse(home: Path) -> Warehouse:
    """Return the warehouse of an empty home."""
    return warehouse_at(home)
