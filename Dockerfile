# Node strips types by itself, so the images hold the sources as they are and no build output. Not Node 24: since 24.19
# an idle garbage collection aborts a process that uses better-sqlite3 12.
ARG NODE_VERSION=22.23.5

FROM node:${NODE_VERSION} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

# Both sides share one lock file; each leaves out what only the other one imports. test/images holds the lists to that.
FROM dependencies AS gateway-dependencies
RUN npm uninstall --no-save --omit=dev --ignore-scripts \
    better-sqlite3 express-openapi-validator kysely oidc-provider

FROM dependencies AS backend-api-dependencies
RUN npm uninstall --no-save --omit=dev --ignore-scripts \
    @modelcontextprotocol/server ajv ajv-formats cockatiel ioredis openapi-fetch rate-limiter-flexible
RUN npm rebuild better-sqlite3

FROM node:${NODE_VERSION}-slim AS runtime
ENV NODE_ENV=production HOST=0.0.0.0
LABEL org.opencontainers.image.version="0.1.0" org.opencontainers.image.licenses="MIT"
# Mount points: a new volume takes over owner and mode of the folder that it covers.
RUN install -d -m 700 -o 1000 -g 1000 /data /secrets /secrets/backend-api /secrets/gateway /secrets/grafana
WORKDIR /app
COPY package.json ./
COPY openapi/desk.yaml openapi/
# No init: Node runs as process 1, starts no children that it could leave behind, and handles SIGTERM itself.
USER 1000:1000

FROM runtime AS backend-api
LABEL org.opencontainers.image.title="Desk ticket service" \
    org.opencontainers.image.description="The REST ticket service behind the Desk Gateway"
ENV DATABASE_PATH=/data/desk.sqlite
COPY --from=backend-api-dependencies /app/node_modules node_modules
COPY backend-api backend-api
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", \
    "fetch(`http://127.0.0.1:${process.env.PORT || 8081}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "backend-api/main.ts"]

# Runs once before the others: secrets into their volumes, tickets into an empty desk.
FROM backend-api AS setup
LABEL org.opencontainers.image.title="Desk set-up"
COPY scripts/prepare-volumes.ts scripts/place-secrets.ts scripts/local-environment.ts scripts/fill-desk.ts \
    scripts/give-password.ts scripts/
HEALTHCHECK NONE
CMD ["node", "scripts/prepare-volumes.ts", "/secrets"]

FROM runtime AS gateway
LABEL org.opencontainers.image.title="Desk Gateway" \
    org.opencontainers.image.description="An MCP gateway in front of a REST ticket service"
COPY --from=gateway-dependencies /app/node_modules node_modules
COPY src src
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", \
    "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "src/main.ts"]
