"""Replies that mean more than their lines say: to talk, invitations, lessons, puzzles, questions, lists of moves."""
