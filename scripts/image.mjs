// Builds and pushes the container image of this commit with an SBOM: `npm run image -- ghcr.io/owner/name`. Prints its reference.
import { execFileSync } from 'node:child_process'

const [repository] = process.argv.slice(2)
if (!repository) {
  console.error('Usage: npm run image -- <repository of the registry, for example ghcr.io/owner/name>')
  process.exit(2)
}
const { REGISTRY_USER, REGISTRY_PASSWORD } = process.env
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const commit = git('rev-parse', 'HEAD')
const version = git('tag', '--points-at', 'HEAD', '--list', 'v*').split('\n')[0]
const name = repository.toLowerCase()
const labels = { revision: commit, version: version || commit }
const docker = (args, input) =>
  execFileSync('docker', args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'], input })
const hasBuilder = () => {
  try {
    docker(['buildx', 'inspect', 'floorpass'])
    return true
  } catch {
    return false
  }
}
try {
  if (REGISTRY_USER && REGISTRY_PASSWORD)
    docker(['login', name.split('/')[0], '--username', REGISTRY_USER, '--password-stdin'], REGISTRY_PASSWORD)
  // The default builder cannot attach an SBOM.
  if (!hasBuilder()) docker(['buildx', 'create', '--name', 'floorpass', '--driver', 'docker-container'])
  docker([
    ...['buildx', 'build', '--builder', 'floorpass', '--push', '--sbom=true', '--provenance=mode=max'],
    ...[commit, version].filter(Boolean).flatMap((tag) => ['--tag', `${name}:${tag}`]),
    ...Object.entries(labels).flatMap(([label, value]) => ['--label', `org.opencontainers.image.${label}=${value}`]),
    '.',
  ])
} catch (error) {
  if (typeof error.status !== 'number') console.error(error.message)
  process.exit(error.status ?? 1)
}
console.log(`${name}:${commit}`)
