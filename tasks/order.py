"""The order of the stages: what each needs was made by one before it."""

from tasks.assign import assign_nuggets
from tasks.decompose import decompose_answers
from tasks.embed import embed
from tasks.entail import entail
from tasks.fetch import fetch
from tasks.joint import read_jointly
from tasks.judge import judge_answers
from tasks.listwise import compare_answers
from tasks.match import match_nuggets
from tasks.nuggets import make_nuggets
from tasks.retrieve import retrieve
from tasks.sentences import label_sentences
from tasks.shortlist import choose_pairs

STAGES = (
    decompose_answers,
    make_nuggets,
    embed,
    fetch,
    retrieve,
    choose_pairs,
    entail,
    read_jointly,
    match_nuggets,
    assign_nuggets,
    label_sentences,
    judge_answers,
    compare_answers,
)
