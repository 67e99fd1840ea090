# docker run --rm --volume "$PWD:/project:ro" deepperf check
FROM python:3.13-slim AS built
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/deepperf \
    && /opt/deepperf/bin/pip install --no-cache-dir '.[ci]'

FROM python:3.13-slim
COPY --from=built /opt/deepperf /opt/deepperf
ENV PATH=/opt/deepperf/bin:$PATH \
    DEEPPERF_CACHE_DIR=/tmp/deepperf
USER 65534
WORKDIR /project
ENTRYPOINT ["deepperf"]
CMD ["check"]
