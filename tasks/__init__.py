"""Stages and what is done around them: read what is pending, call a model, write rows.

Here stand the stages every run begins and ends with, and what they share; in the rooms below, one subject each:
nuggets, citations, judging, people, comparing, answering, spending.
"""
