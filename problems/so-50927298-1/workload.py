import time

SECONDS_ON_THE_DEVICE = 0.04


def setup():
    global update
    computed_here = update

    def update(*arguments):
        time.sleep(SECONDS_ON_THE_DEVICE)
        return computed_here(*arguments)


def work():
    return main()
