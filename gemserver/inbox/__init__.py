"""Mail that came in: rows, the results of their lines, and one-time codes; and the end of an account.

Erasing one stands here, because it takes the mail along that came from it.
"""
