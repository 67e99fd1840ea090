"""The program as a whole: tables of its files, and the answers about them, each computed once."""
