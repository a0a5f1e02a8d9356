# The broker with its dashboard. It keeps nothing in the image: give it a PostgreSQL by DATABASE_URL, as compose.yaml does,
# or a volume at /home/node/.merkle for the embedded one.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm pack --ignore-scripts=false --workspace merkle --pack-destination /tmp

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /tmp/merkle-*.tgz ./merkle.tgz
RUN npm install --no-audit --no-fund ./merkle.tgz && rm merkle.tgz
USER node
EXPOSE 7423
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "node_modules/merkle/bin/merkle.mjs", "status", "--quiet"]
# A container is a network of its own, so members alone are let in: the log has the first admin's invite, once (docker compose logs broker).
# Half the garbage collector's work under load; `merkle up --detach` does the same.
CMD ["node", "--max-semi-space-size=64", "node_modules/merkle/bin/merkle.mjs", "up", "--host", "0.0.0.0"]
