def setup():
    sign_folder()


def work():
    return main()
