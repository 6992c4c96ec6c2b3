"""The contents of mails about matches: a function for each kind, listed in `settings.MAIL_KINDS`.

`about_match` has what those about one match share.
"""
