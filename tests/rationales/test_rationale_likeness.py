"""BERTScore and BARTScore of rationales: the library's numbers, and a likelihood by hand."""

from pathlib import Path

import pytest

from medassay.models.rationales.bartscore import BartScore
from medassay.models.rationales.bertscore import RationaleModelUnavailable
from medassay.models.rationales.loading import load_bartscore, load_bertscore, refuse_unknown
from medassay.models.usage import UsageError
from medassay.models.weights import ModelMissing

REFERENCE = "The dose is wrong, and the warning is missing."


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny BART with random weights that knows the letters."""
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("bart")
    vocabulary = {
        name: n for n, name in enumerate(["<s>", "<pad>", "</s>", "<unk>", *"abcdefghijklmnopqrstuvwxyz ,."])
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(vocabulary),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_position_embeddings=64,
        )  # fmt: skip
    ).save_pretrained(folder)
    return folder


def test_a_likelihood_is_transformers_loss_turned_around(bart: Path) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(bart).eval(), AutoTokenizer.from_pretrained(bart)
    given, said = (
        tokenizer(text, return_tensors="pt").input_ids for text in ("wrong dose.", "the dose is wrong.")
    )
    loss = float(model(input_ids=given, labels=said).loss.detach())
    ours = BartScore(str(bart), "tiny")
    short, long = ("wrong dose.", "the dose is wrong."), ("a", "a warning is missing, and the dose")
    # A shorter neighbour in the batch is padded, which changes nothing.
    assert ours.likelihoods([short, long])[0] == pytest.approx(-loss, abs=1e-5)
    (found,) = ours.score([("the dose is wrong.", "wrong dose.")])
    precision, recall = ours.likelihoods([short, (short[1], short[0])])
    assert found == pytest.approx((precision, recall, (precision + recall) / 2), abs=1e-5)
    assert (ours.is_cut("a" * 62), ours.is_cut("a" * 63)) == (False, True)


def test_bertscore_is_the_librarys_and_orders_by_likeness() -> None:
    try:
        ours = load_bertscore("embedded")
    except ModelMissing as missing:
        pytest.skip(str(missing))
    assert ours is not None
    same, near, far = ours.score(
        [
            (REFERENCE, REFERENCE),
            ("A warning is missing and the dose is not right.", REFERENCE),
            ("Fluent and friendly.", REFERENCE),
        ]
    )
    assert same == pytest.approx((1.0, 1.0, 1.0), abs=1e-5)
    assert 1.0 > near[2] > far[2]
    # Recomputed from the encoder's fifth layer, without the library.
    from medassay.models.weights import ensure

    assert near[2] == pytest.approx(
        by_hand(str(ensure("all-MiniLM-L6-v2")), "A warning is missing and the dose is not right."), abs=1e-5
    )
    assert ours.score([]) == []
    # A text of two thousand words is scored by its beginning, and said to be.
    endless = "The dose is wrong. " * 500
    assert (ours.is_cut(endless), ours.is_cut(REFERENCE)) == (True, False)
    assert 0.0 < ours.score([(endless, REFERENCE)])[0][2] < 1.0


def by_hand(folder: str, rationale: str) -> float:
    """Return F1 by the definition: the mean cosine of each token's nearest in the other text, first and last in."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)

    def tokens(text: str) -> torch.Tensor:
        with torch.no_grad():
            layers = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
        return torch.nn.functional.normalize(layers[5][0], dim=-1)

    cosines = tokens(rationale) @ tokens(REFERENCE).T
    # The library weighs the marks of beginning and end with nothing.
    inner = cosines[1:-1].max(dim=1).values.mean(), cosines[:, 1:-1].max(dim=0).values.mean()
    return float(2 * inner[0] * inner[1] / (inner[0] + inner[1]))


def test_what_cannot_be_loaded_says_what_to_name_instead(tmp_path: Path) -> None:
    assert load_bertscore("none") is None and load_bartscore("none") is None
    for bertscore, bartscore, said in (
        ("roberta-large", "none", "--bertscore roberta-large: say none, embedded, or hf:<id or folder>"),
        ("none", "embedded", "--bartscore embedded: no such model is carried; name one, hf:<id or folder>"),
    ):
        with pytest.raises(UsageError) as refused:
            refuse_unknown(bertscore, bartscore)
        assert str(refused.value) == said
    (tmp_path / "config.json").write_text("{}")
    for load in (load_bertscore, load_bartscore):
        with pytest.raises(
            RationaleModelUnavailable, match="cannot be loaded .*; name .* or a folder that holds it$"
        ):
            load(f"hf:{tmp_path}")


def test_a_folder_that_cannot_be_it_is_refused_before_anything_is_evaluated(
    tmp_path: Path, bart: Path
) -> None:
    encoder, empty = tmp_path / "encoder", tmp_path / "empty"
    encoder.mkdir()
    empty.mkdir()
    (encoder / "config.json").write_text('{"model_type": "bert"}')
    refuse_unknown(f"hf:{encoder}", f"hf:{bart}")
    refuse_unknown("hf:roberta-large", "hf:facebook/bart-large-cnn")
    for bertscore, bartscore, said in (
        (f"hf:{tmp_path}/nowhere", "none", f"--bertscore hf:{tmp_path}/nowhere: no such folder"),
        (f"hf:{empty}", "none", f"--bertscore hf:{empty}: no config.json of a model in that folder"),
        (
            "none",
            f"hf:{encoder}",
            f"--bartscore hf:{encoder}: a bert reads but writes no text; name a folder with a sequence-to-sequence model",
        ),
    ):
        with pytest.raises(UsageError) as refused:
            refuse_unknown(bertscore, bartscore)
        assert str(refused.value) == said
