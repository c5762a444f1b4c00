# MedAssay on processors: docker build -t medassay . && docker run -v "$PWD:/data" medassay evaluate my_answers
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/medassay \
    && /opt/medassay/bin/python deployments/torch_for_processors.py \
    && /opt/medassay/bin/python -m pip install --no-cache-dir --quiet .

FROM python:3.12-slim
COPY --from=build /opt/medassay /opt/medassay
ENV PATH=/opt/medassay/bin:$PATH MEDASSAY_MODELS=/data/.medassay-models
RUN useradd --create-home assay
USER assay
WORKDIR /data
ENTRYPOINT ["medassay"]
