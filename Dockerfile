# The broker with its dashboard. It keeps nothing in the image: give it a PostgreSQL by DATABASE_URL, as compose.yaml does,
# or a volume at /home/node/.merkle for the embedded one.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
# Symbols for debuggers are a seventh of Node.
RUN apt-get update && apt-get install -y --no-install-recommends binutils \
 && npm ci --no-audit --no-fund \
 && npm pack --ignore-scripts=false --workspace apps/cli --pack-destination /tmp \
 && npm install --global --prefix /opt/merkle --ignore-scripts --no-audit --no-fund /tmp/*.tgz \
 && strip -o /opt/merkle/bin/node /usr/local/bin/node

# A Debian without what only installs packages: nothing is installed in it any more, and nothing of it is run as root.
FROM ${BASE_IMAGE} AS base
RUN useradd --uid 1000 --create-home --shell /bin/sh node \
 && install -d -o node -g node -m 0700 /home/node/.merkle \
 && rm -rf /usr/bin/apt* /usr/lib/apt /usr/lib/*/libapt-* /var/lib/apt /var/lib/dpkg /var/cache /var/log /usr/bin/perl* /usr/lib/*/perl* \
    /usr/lib/*/libperl* /usr/lib/*/gconv /usr/share/perl* /usr/share/doc /usr/share/man /usr/share/info /usr/share/locale /usr/share/lintian

FROM scratch
COPY --from=base / /
COPY --from=build /opt/merkle /usr/local
ENV NODE_ENV=production PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/node
# The home is its user's, so that a volume over it begins with that owner. The root may be read-only beside it and /tmp.
USER node
WORKDIR /home/node
EXPOSE 7423
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["merkle", "status", "--quiet"]
# A container is a network of its own, so members alone are let in: the log has the first admin's invite, once (docker compose logs broker).
# Half the garbage collector's work under load; `merkle up --detach` does the same.
CMD ["node", "--max-semi-space-size=64", "/usr/local/bin/merkle", "up", "--host", "0.0.0.0"]
