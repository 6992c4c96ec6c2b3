"""The mail room of the embedded server, where every mail can be read and answered."""
