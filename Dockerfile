# MedAssay on processors: docker build -t medassay .
# With CUDA, for a GPU worker: docker build -t medassay-gpu --build-arg TORCH=cuda .   With Ray: --build-arg EXTRAS=ray
# docker run --user "$(id -u)" -v "$PWD:/data" medassay evaluate my_answers
FROM python:3.12-slim AS build
ARG TORCH=processors
ARG EXTRAS=
WORKDIR /source
COPY . .
RUN python -m venv /opt/medassay \
    && if [ "$TORCH" = processors ]; then /opt/medassay/bin/python deployments/torch_for_processors.py; fi \
    && /opt/medassay/bin/python -m pip install --no-cache-dir --quiet ".${EXTRAS:+[$EXTRAS]}"

FROM python:3.12-slim
COPY --from=build /opt/medassay /opt/medassay
# Whoever runs it, what is to stay is written into /data, what Prefect notes for itself into /tmp.
ENV PATH=/opt/medassay/bin:$PATH MEDASSAY_MODELS=/data/.medassay-models HOME=/tmp USER=assay
# Volumes of these names begin as these folders are: whoever the container runs as may write there.
RUN install -d -m 1777 /data/home /data/parts /data/models
USER 1000
WORKDIR /data
ENTRYPOINT ["medassay"]
