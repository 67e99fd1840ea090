def setup():
    volume_files()


def work():
    return main()
