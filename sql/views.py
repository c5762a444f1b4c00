"""Create the views in dependency order, with comments from the glossary and a digest of their SQL."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb

from medassay.metrics import GROUPS, METRICS, PROFILES, WEIGHTS, column_comments

LAYERS = ("staging", "intermediate", "marts")
_MADE = re.compile(r"^create or replace (?:view|macro) (\w+)", re.MULTILINE)
_READ = re.compile(r"\b(?:from|join)\s+\(?(?:from\s+)?(\w+)\b|\b(\w+)\(")
_MART = re.compile(r"\bmart\.(\w+)")
_COMMENT = re.compile(r"--.*")


def files_in(layer: str) -> list[Traversable]:
    """List a layer's files of SQL in the order of their names."""
    folder = files("medassay.sql").joinpath(layer)
    return sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)


@cache
def view_texts(layer: str) -> dict[str, str]:
    """Return a layer's SQL by file name, the registry's metrics written in where a file is a template (Jinja)."""
    from jinja2 import Environment, StrictUndefined

    templates = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    templates.filters["quoted"] = _quoted
    known = {
        "metrics": METRICS,
        "profiles": PROFILES,
        "evidence": WEIGHTS,
        "counts": [group.counts for group in GROUPS if group.counts],
    }
    return {
        f.name: templates.from_string(f.read_text(encoding="utf-8")).render(known) for f in files_in(layer)
    }


def create_views(connection: duckdb.DuckDBPyConnection, layers: Sequence[str] = LAYERS) -> None:
    """Create every view of these layers, each after the views and macros it reads."""
    for text in view_statements(layers):
        connection.execute(text)


def view_statements(layers: Sequence[str] = LAYERS) -> Iterator[str]:
    """Yield the statements that create these layers, in an order in which they can be run."""
    texts = {name: text for layer in layers for name, text in view_texts(layer).items()}
    home_of = {made: name for name, text in texts.items() for made in _MADE.findall(text)}
    reads = {
        name: {home_of[word] for word in _read_by(text) & home_of.keys()} - {name}
        for name, text in texts.items()
    }
    for name in TopologicalSorter(reads).static_order():
        yield texts[name]


def sources_of(view: str) -> set[str]:
    """Return the tables that a view reads, through whatever views and macros."""
    reached, left = {view}, [view]
    while left:
        new = _read_by(_bodies().get(left.pop(), "")) - reached
        reached |= new
        left += new
    return reached & _tables()


@cache
def marts_in_order() -> tuple[str, ...]:
    """Return every mart that a view `new_<mart>` makes, each after the marts that it is made of."""
    marts = [name.removeprefix("new_") for name in _bodies() if name.startswith("new_")]
    reads = {mart: marts_read_for(mart) & set(marts) for mart in sorted(marts)}
    return tuple(TopologicalSorter(reads).static_order())


def marts_up_to(mart: str) -> tuple[str, ...]:
    """Return a mart and all that it is made of, each after what it is made of itself."""
    needed, left = set[str](), [mart]
    while left:
        one = left.pop()
        if one not in needed:
            needed.add(one)
            left += marts_read_for(one)
    return tuple(one for one in marts_in_order() if one in needed)


def marts_read_for(mart: str) -> set[str]:
    """Return the marts that the view `new_<mart>` reads, through whatever views, without itself."""
    bodies = {
        name: text for layer in LAYERS[:-1] for name, text in _bodies_of(layer).items()
    }  # those of the marts' layer read what is finished
    reached, left = set[str](), [f"new_{mart}"]
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += _read_by(bodies[name]) & bodies.keys()
    return {named for name in reached for named in _MART.findall(_COMMENT.sub("", bodies[name]))} - {mart}


@cache
def _bodies() -> dict[str, str]:
    return {name: text for layer in LAYERS for name, text in _bodies_of(layer).items()}


@cache
def _bodies_of(layer: str) -> dict[str, str]:
    return {
        made: text
        for whole in view_texts(layer).values()
        for text in re.split(r"(?=^create or replace )", whole, flags=re.MULTILINE)
        for made in _MADE.findall(text)
    }


@cache
def _tables() -> set[str]:
    made = re.compile(r"^create table (?:if not exists )?(\w+)\b(?!\.)", re.MULTILINE)
    return set(made.findall(files("medassay.sql").joinpath("schema.sql").read_text(encoding="utf-8")))


def describe_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Attach the glossary's sentence to every column, and its file's header to every view."""
    glossary: dict[str, str] = json.loads(
        files("medassay.sql").joinpath("glossary.json").read_text(encoding="utf-8")
    )
    glossary |= column_comments()
    columns = connection.execute(
        "select col.table_name, col.column_name from duckdb_columns() as col"
        " join duckdb_views() as view on view.view_oid = col.table_oid"
        " where not view.internal and view.schema_name = 'main'"
    ).fetchall()
    for view, column in columns:
        if meaning := glossary.get(f"{view}.{column}") or glossary.get(column):
            _comment(connection, f'column "{view}"."{column}"', meaning)
    for text in view_texts("marts").values():
        header = " ".join(line[3:] for line in text.split("create or replace", 1)[0].splitlines())
        for view in _MADE.findall(text):
            _comment(connection, f'view "{view}"', header)


def _comment(connection: duckdb.DuckDBPyConnection, what: str, meaning: str) -> None:
    connection.execute(f"comment on {what} is {_quoted(meaning)}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@cache
def _read_by(text: str) -> set[str]:
    return {word for found in _READ.findall(_COMMENT.sub("", text)) for word in found if word}


def views_digest() -> str:
    """Digest every view's text, in whichever file it stands: the formulas behind the numbers."""
    whole = (text for layer in LAYERS for text in view_texts(layer).values())
    statements = sorted(statement.strip() for text in whole for statement in text.split(";\n"))
    return hashlib.sha256("\0".join(statements).encode()).hexdigest()[:32]
