#!/bin/sh
# Starts the built service, here and in the container, as one process that gets every signal. Arguments go to Node.
set -e
cd "$(dirname -- "$0")/.."
export NODE_ENV=production
# The Node that scripts/node-runtime.mjs chose for the checkout.
node=node_modules/node/bin/node
[ -x "$node" ] || node=node
# Password hashes use one thread per core. Four more keep file access and DNS from waiting.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-$(($(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 4))}"
# The code that an earlier start compiled. Node does without a folder that it cannot write.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/compiled}"
exec "$node" --disable-warning=ExperimentalWarning --enable-source-maps "$@" apps/service/build/server.js
