#!/bin/sh
# Starts the service as the container does: one process that gets every signal itself. It is built already; its settings are the environment.
set -e
cd "$(dirname "$0")/.."
export NODE_ENV=production
exec node --disable-warning=ExperimentalWarning apps/web/server.ts
