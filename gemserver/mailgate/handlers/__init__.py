"""What carries out the commands of a mail, by what they are about: one registry in each module."""
