# syntax=docker/dockerfile:1
# Built by `npm run image`. The service is a bundle; the command line and the smoke tests run from the sources, so the image holds these too, and production packages.
FROM node:26-bookworm-slim AS build
WORKDIR /floorpass
COPY . .
RUN npm run bootstrap -- --service && npm run build && deploy/prune.sh

FROM node:26-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /floorpass
COPY --from=build /floorpass/package.json /floorpass/pnpm-workspace.yaml ./
COPY --from=build /floorpass/node_modules node_modules
COPY --from=build /floorpass/packages packages
COPY --from=build /floorpass/apps apps
COPY --from=build /floorpass/deploy/start.sh deploy/start.sh
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["deploy/start.sh"]
