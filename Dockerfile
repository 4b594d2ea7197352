# The product's image: `docker build -t hakopod .`; one image for both roles, which the chart tells apart by HAKOPOD_ROLES.
# Buildah is left out: building needs namespaces and mounts that a pod held to "restricted" does not get.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY queues queues
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/node_modules node_modules
ENV NODE_ENV=production
USER 10001:10001
ENTRYPOINT ["node", "/app/bin/hakopod.js"]
CMD ["serve"]
