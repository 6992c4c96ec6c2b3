"""Learning from matches with a bot: hints in practice, reviews of finished matches, other moves tried in them."""
