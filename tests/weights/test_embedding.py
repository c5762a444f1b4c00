import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from medassay.models.embedder_folder import EmbedderUnavailable
from medassay.models.embedding import Embedder, describe_embedder, load_embedder
from medassay.models.weights import ModelMissing, ensure


@pytest.fixture(scope="module")
def folder() -> Path:
    try:
        return ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return load_embedder("embedded")


SENTENCES = (
    "Metformin commonly causes diarrhea and nausea.",
    "Diarrhea and nausea are frequent with metformin.",
    "The Eiffel tower stands in Paris.",
)


def cosines(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    vectors = embedder.encode(texts)
    return [[round(float(value), 3) for value in row] for row in vectors @ vectors.T]


def test_paraphrases_are_near_and_strangers_far(embedder: Embedder) -> None:
    assert cosines(embedder, SENTENCES) == [[1.0, 0.963, -0.017], [0.963, 1.0, -0.037], [-0.017, -0.037, 1.0]]


def test_the_fingerprint_names_what_was_asked(embedder: Embedder) -> None:
    assert embedder.fingerprint == {
        "role": "embeddings",
        "model": "all-MiniLM-L6-v2",
        "weights": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer": "5651a0c694073329e21d6684e9d84bf9",
        "pooling": "mean",
        "dtype": "float32",
        "window": 256,
        "overlap": 32,
        "stage_version": 1,
    }
    assert describe_embedder("embedded") == embedder.fingerprint


def test_order_is_kept_repeats_are_equal_and_progress_adds_up(embedder: Embedder) -> None:
    texts = [SENTENCES[position % 3] + " More." * (position % 5) for position in range(40)]
    told: list[int] = []
    vectors = embedder.encode(texts, told.append)
    assert vectors.shape == (40, 384)
    assert vectors.dtype == np.float32
    assert sum(told) == 40
    for position in (0, 7, 39):
        alone = embedder.encode([texts[position]])[0]
        assert float(np.abs(alone - vectors[position]).max()) < 1e-6
    assert np.array_equal(vectors[0], vectors[15])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_nothing_gives_nothing_and_an_empty_text_gives_a_vector(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, 384)
    assert round(float(np.linalg.norm(embedder.encode([""])[0])), 5) == 1.0


def test_a_text_past_the_window_is_read_to_its_end(embedder: Embedder) -> None:
    filler = "The patient was seen again and nothing had changed. " * 40
    plain, ending = embedder.encode([filler, filler + "Metformin causes lactic acidosis."])
    assert float(plain @ ending) < 0.999


def test_windows_weigh_as_many_tokens_as_they_hold(embedder: Embedder) -> None:
    long = "Metformin lowers glucose in adults with diabetes. " * 60
    windows = [ids for _, ids in embedder._windows([long])]
    assert [len(window) for window in windows] == [256, 256, 158]
    mean = sum(len(window) * embedder._embedded([window])[0] for window in windows)
    assert np.allclose(embedder.encode([long])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_folder_of_ones_own_gives_the_same_vectors(folder: Path, embedder: Embedder) -> None:
    own = load_embedder(f"hf:{folder}")
    assert own.fingerprint == {**embedder.fingerprint, "model": str(folder)}
    assert np.array_equal(own.encode(SENTENCES), embedder.encode(SENTENCES))


def test_unusual_modules_go_through_sentence_transformers(
    folder: Path, embedder: Embedder, tmp_path: Path
) -> None:
    copy = tmp_path / "own"
    shutil.copytree(folder, copy)
    pooling = copy / "1_Pooling" / "config.json"
    settings = json.loads(pooling.read_text("utf-8"))
    pooling.write_text(json.dumps(settings | {"pooling_mode_max_tokens": True}), "utf-8")
    own = load_embedder(f"hf:{copy}")
    assert own.dimension == 768
    assert own.fingerprint["pooling"] == "the model's own"


def test_vectors_are_those_of_sentence_transformers(folder: Path, embedder: Embedder) -> None:
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = theirs.encode(list(SENTENCES), normalize_embeddings=True, show_progress_bar=False)
    assert np.allclose(embedder.encode(SENTENCES), expected, atol=1e-6)


@pytest.mark.parametrize("spec", ["none", "hf:", "smollm2-135m-instruct-q4_1"])
def test_a_spec_that_names_no_embedder_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="names no embedder: say `embedded`, `all-MiniLM-L6-v2`"):
        load_embedder(spec)


def test_an_embedder_on_a_server_is_not_loaded() -> None:
    with pytest.raises(EmbedderUnavailable, match="is asked in evaluations alone"):
        load_embedder("http://127.0.0.1:1#m")


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="holds no weights"):
        load_embedder(f"hf:{tmp_path}")


def test_an_embedder_that_is_not_pulled_says_how(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="medassay models pull all-mpnet-base-v2"):
        load_embedder("all-mpnet-base-v2", tmp_path)


def test_a_hub_id_out_of_reach_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        EmbedderUnavailable, match="hf:nobody/nothing is neither a folder nor on this machine"
    ):
        load_embedder("hf:nobody/nothing")
