"""What a run takes and may take: calls, tokens and money, planned and written down."""
