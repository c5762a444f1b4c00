"""What a run begins and ends with, and the rooms of what is done around its stages.

`stages` has the stages themselves. In the other rooms, one subject each, stands what stages share and what people do
beside a run: nuggets, citations, judging, people, comparing, answering, spending.
"""
