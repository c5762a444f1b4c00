"""People: their sheets and scores, and how far the automatic ones agree with them."""
