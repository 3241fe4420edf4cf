#!/bin/sh
# Removes from a built checkout what the service does not need at run time. The container image contains the rest.
set -e
cd "$(dirname "$0")/.."
if [ -e .git ]; then
  echo "This is a working copy. Nothing was removed." >&2
  exit 1
fi
rm -rf node_modules apps/*/node_modules packages/*/node_modules
# Keep the workspace packages as links: Node runs no TypeScript inside node_modules.
npx --yes "$(node -p "require('./package.json').packageManager")" install --prod --frozen-lockfile --ignore-scripts --filter @floorpass/service...
rm -rf packages/badges packages/developer-tools packages/reliability packages/server packages/testing packages/functions/src/tests apps/web/app
# Peer dependencies that are never loaded, with everything that only they need: Prisma's command line brings a second PGlite.
rm -rf node_modules/.pnpm/prisma@* node_modules/.pnpm/typescript@*
node deploy/drop-unlinked.mjs
# The CommonJS copy of ccxt.
rm -rf node_modules/.pnpm/ccxt@*/node_modules/ccxt/dist
