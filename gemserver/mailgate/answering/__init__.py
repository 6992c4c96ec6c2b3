"""Answers to mails: whether one is sent, and its words."""
