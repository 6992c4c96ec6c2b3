"""The commands of a mail, by what they are about; each is an `Errand` that a registry of its module carries out."""
