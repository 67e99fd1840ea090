TRANSFORMS = {}


def register(name=None):
    """Makes a transform known under its name, or under another."""

    def keep(function):
        TRANSFORMS[name or function.__name__] = function
        return function

    return keep
