#!/bin/sh
# Starts the built service, here and in the container: one process that gets every signal itself. Its settings are the environment; arguments are for Node.
set -e
cd "$(dirname -- "$0")/.."
export NODE_ENV=production
# A checkout has a Node of its own; by its full name, since the one in node_modules/.bin is a shell that passes no signal on.
node=node_modules/node/bin/node
[ -x "$node" ] || node=node
# Passwords are hashed on these threads, on as many as there are cores; files and names of hosts must not wait behind them.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-$(($(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 4))}"
# Stacks name the sources.
exec "$node" --disable-warning=ExperimentalWarning --enable-source-maps "$@" apps/service/build/server.js
