"""The listwise judge: answers of one question compared side by side."""
