#!/bin/sh
# Leaves of a built checkout what the service needs to run; the container image is made of the rest. Not for a checkout that you work in.
set -e
cd "$(dirname "$0")/.."
if [ -e .git ]; then
  echo "This is a working copy: it stays as it is." >&2
  exit 1
fi
rm -rf node_modules apps/*/node_modules packages/*/node_modules
# The links stay links: Node runs no TypeScript that lies in node_modules.
npx --yes "$(node -p "require('./package.json').packageManager")" install --prod --frozen-lockfile --ignore-scripts --filter @floorpass/service...
rm -rf packages/badges packages/reliability packages/testing packages/functions/src/tests apps/web/app
# What comes along as a peer and is not loaded: Prisma's command line with all that it brings, and the exchanges a second time, for CommonJS.
cd node_modules/.pnpm
rm -rf prisma@* @prisma+studio-core@* @prisma+dev@* @prisma+query-plan-executor@* effect@* typescript@* elkjs@* ccxt@*/node_modules/ccxt/dist
