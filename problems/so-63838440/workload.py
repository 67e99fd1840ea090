def count():
    return answer.experimental_get_tracing_count()


def work():
    return main()
