# The explorer and the HTTP API over the packaged model:
#   docker build -t hyperdive .
#   docker run --rm -p 8765:8765 hyperdive            # prints the address with its token
#   docker run --rm -p 8765:8765 -v "$PWD:/data" hyperdive model --host 0.0.0.0
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE LICENSE-model ./
COPY src src
# time stamps of whole seconds, which layers keep: compiled kernels are found by those of their sources
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --no-compile '.[web]' \
    && find /venv -name '*.py' -path '*/hyperdive/*' -exec touch -d @0 {} +

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 hyperdive && mkdir /data && chown hyperdive /data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
USER hyperdive
RUN hyperdive doctor --compile
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --start-period=20s CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8765), 3).close()"]
ENTRYPOINT ["hyperdive", "serve"]
CMD ["--host", "0.0.0.0"]
