"""Specs of systems as people write them, and what a reply is read as."""

import pytest

from medassay.models.answering.systems import (
    Sampling,
    System,
    parse_system,
    parse_systems,
    read_answer,
    request_for,
)
from medassay.models.chat.reply import Complaint
from medassay.models.specs import SpecError


def test_a_spec_with_its_own_settings() -> None:
    assert parse_system(
        "big = https://llm.example,org/big, top_k=none, tokens=120, cite=yes", Sampling()
    ) == System("big", "https://llm.example/v1", "org/big", Sampling(0.5, 1.0, None, 120, True))
    assert parse_system("small=embedded,temperature=0", Sampling()) == System(
        "small", "embedded", "embedded", Sampling(temperature=0.0)
    )


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("big", "--system 'big' cannot be read: write name=base_url,model[,setting=value …], name=anthropic:<model>, name=embedded or name=hf:<id or folder>"),
        ("big=https://llm.example/v1", "--system big: no model after the address: write big=https://llm.example/v1,<model>"),
        ("big=https://a.example,m,seed=1", "--system big: 'seed' is no setting; there are temperature, top_p, top_k, tokens, cite"),
        ("big=https://a.example,m,tokens=0", "--system big: tokens is 0: choose a whole number from 1"),
        ("big=https://a.example,m,temperature=hot", "--system big: temperature=hot cannot be read; choose a number from 0 to 2"),
        ("big=https://me:key@a.example,m", "--system big: a URL with a user name or password is not accepted: put the key into the environment variable"),
    ],
)  # fmt: skip
def test_a_spec_that_cannot_be_read_says_what_to_write(spec: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_system(spec, Sampling())
    assert str(refused.value) == said


def test_one_name_is_one_system() -> None:
    with pytest.raises(SpecError, match="^--system a is given 2 times: give each its own name$"):
        parse_systems(["a=embedded", "a=embedded,cite=yes"], Sampling())


def test_the_prompt_asks_for_pmids_only_where_it_is_told_to() -> None:
    plain, citing = (
        request_for(System("a", "http://a/v1", "m", Sampling(cite=cite)), "q", "Why?")
        for cite in (False, True)
    )
    assert ["PMID" in request.messages[0].content for request in (plain, citing)] == [False, True]
    assert ["200 tokens" in request.messages[0].content for request in (plain, citing)] == [True, True]


def test_reasoning_is_no_answer() -> None:
    assert read_answer("<think>hm</think>\nMetformin.") == "Metformin."
    with pytest.raises(Complaint):
        read_answer("<think>hm")
