# The broker with its dashboard. It keeps nothing in the image: give it a PostgreSQL by DATABASE_URL, as compose.yaml does,
# or a volume at /home/node/.merkle for the embedded one.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm pack --ignore-scripts=false --workspace apps/cli --pack-destination /tmp \
 && npm install --global --prefix /opt/merkle --ignore-scripts --no-audit --no-fund /tmp/*.tgz

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
COPY --from=build /opt/merkle /usr/local
# The home exists and is its user's, so that a volume over it begins with that owner. The root may be read-only beside it and /tmp.
RUN install -d -o node -g node -m 0700 /home/node/.merkle
USER node
EXPOSE 7423
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["merkle", "status", "--quiet"]
# A container is a network of its own, so members alone are let in: the log has the first admin's invite, once (docker compose logs broker).
# Half the garbage collector's work under load; `merkle up --detach` does the same.
CMD ["node", "--max-semi-space-size=64", "/usr/local/bin/merkle", "up", "--host", "0.0.0.0"]
