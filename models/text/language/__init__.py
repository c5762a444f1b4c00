"""What words say by themselves: their verbs, their full stops, and phrases that assert nothing."""
