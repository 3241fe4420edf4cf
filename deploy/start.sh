#!/bin/sh
# Starts the service as the container does: one process that gets every signal itself. It is built already; its settings are the environment.
set -e
cd "$(dirname "$0")/.."
export NODE_ENV=production
# A checkout has a Node of its own; by its full name, since the one in node_modules/.bin is a shell that passes no signal on.
node=node_modules/node/bin/node
[ -x "$node" ] || node=node
exec "$node" --disable-warning=ExperimentalWarning apps/web/server.ts
