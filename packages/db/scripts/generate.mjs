// Plain JavaScript: it runs on the machine's Node (20 or later), before the workspace has its own.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)))
const prismaPackage = createRequire(import.meta.url).resolve('prisma/package.json')
const stampFile = join(packageFolder, 'src/generated/.stamp')

// Hash contents, not times: a branch switch or a new Prisma version must regenerate too.
const stamp = [join(packageFolder, 'prisma/schema.prisma'), prismaPackage]
  .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
  .digest('hex')

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  const cli = join(dirname(prismaPackage), JSON.parse(readFileSync(prismaPackage, 'utf8')).bin.prisma)
  const { status, error, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate', '--no-hints'], {
    cwd: packageFolder,
    encoding: 'utf8',
    env: {
      ...process.env,
      // `generate` never runs this engine, but would download it if no file existed.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
    },
  })
  if (error) throw error
  if (status !== 0) {
    console.error(`The Prisma client was not generated, because \`prisma generate\` failed:\n${stdout}${stderr}`)
    process.exit(1)
  }
  writeFileSync(stampFile, stamp)
}
