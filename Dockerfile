# Gatehouse with Node.js, Pulumi and its provider plugins, for CI and for machines on which nothing is installed. See docs/container.md.
ARG NODE=24.21.0-bookworm-slim

FROM node:${NODE} AS build
# The base image has no certificates of authorities. Pulumi, which downloads its plugins, needs them; Node.js contains its own.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/gatehouse
COPY package.json package-lock.json .npmrc ./
COPY sdks sdks
RUN npm ci
COPY . .
RUN node catalog/server/build.ts && node ops/checks/verify/job/build.ts
# A mirror of the programs, and servers of the plugins instead of Pulumi's, for a network without GitHub and get.pulumi.com.
ARG GATEHOUSE_TOOLS_MIRROR
ARG PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES
# Downloads the archive of this platform, whose checksum is pinned.
RUN node ops/toolchain/installPulumi.ts /opt/pulumi
# Last, because the builds need development dependencies. The group of any other user in a container is 0.
RUN npm prune --omit=dev --omit=optional && rm -rf sdks/*/node_modules /opt/pulumi/logs && chmod -R g=u . /opt/pulumi

FROM node:${NODE}
# git: the access diff. tini: the engine and its plugins are children, and a first process handles their signals.
RUN apt-get update && \
    apt-get install --yes --no-install-recommends ca-certificates git tini && \
    rm -rf /var/lib/apt/lists/* && \
    git config --system safe.directory /opt/gatehouse && \
    printf '#!/bin/sh\nexec node /opt/gatehouse/ops/commands/gatehouse.ts "$@"\n' > /usr/local/bin/gatehouse && \
    chmod 755 /usr/local/bin/gatehouse && \
    chgrp 0 /home/node && chmod g=u /home/node && \
    install --directory --owner=node --group=0 --mode=775 /opt/gatehouse /opt/pulumi
COPY --from=build --chown=node:0 /opt/pulumi /opt/pulumi
COPY --from=build --chown=node:0 /opt/gatehouse /opt/gatehouse
# The project, and with it the record of steps, ends with the container.
ENV GATEHOUSE_CHECKPOINTS=true
ENV HOME=/home/node USER=node PULUMI_HOME=/opt/pulumi PULUMI_SKIP_UPDATE_CHECK=true PATH=/opt/pulumi/bin:$PATH
USER node
WORKDIR /opt/gatehouse
ENTRYPOINT ["tini", "--", "gatehouse"]
