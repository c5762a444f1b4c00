# MedAssay on processors: docker build -t medassay .
# docker run --user "$(id -u)" -v "$PWD:/data" medassay evaluate my_answers
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/medassay \
    && /opt/medassay/bin/python deployments/torch_for_processors.py \
    && /opt/medassay/bin/python -m pip install --no-cache-dir --quiet .

FROM python:3.12-slim
COPY --from=build /opt/medassay /opt/medassay
# Whoever runs it, what is to stay is written into /data, what Prefect notes for itself into /tmp.
ENV PATH=/opt/medassay/bin:$PATH MEDASSAY_MODELS=/data/.medassay-models HOME=/tmp USER=assay
USER 1000
WORKDIR /data
ENTRYPOINT ["medassay"]
