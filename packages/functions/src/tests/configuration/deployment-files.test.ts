import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@floorpass/env'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fromRoot(path), 'utf8')
const readYaml = (path: string) => parse(read(path))

const settings = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name)
const image = Object.fromEntries(
  [...(/^ENV (.+HOST=.+)$/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
)
const secret = () => randomBytes(32).toString('base64url')

/** Expects that the image serves with these settings. */
function expectSettings(environment: Record<string, string>): void {
  expect(Object.keys(environment).filter((name) => !settings.includes(name))).toEqual([])
  const { mode, database, baseUrl } = loadConfig({ ...image, ...environment })
  expect({ mode, kind: database.kind, isHttps: baseUrl.startsWith('https://') }).toEqual({
    mode: 'deployed',
    kind: 'postgres',
    isHttps: true,
  })
}

describe('compose.yaml', () => {
  const { services, networks } = readYaml('compose.yaml')

  test('gives the service settings with which it starts', () => {
    const values: Record<string, string> = {
      DOMAIN: 'accounts.example.com',
      SMTP_URL: 'smtps://user:password@mail.example.com',
      AUTH_SECRET: secret(),
      POSTGRES_PASSWORD: secret(),
      METRICS_TOKEN: secret(),
    }
    const environment = Object.entries<string>(services.floorpass.environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, variable: string) => values[variable] ?? `missing ${variable}`),
    ])
    expectSettings(Object.fromEntries(environment))
    expect(services.floorpass.environment.TRUST_PROXY).toBe(networks.proxy.ipam.config[0].subnet)
  })

  test('keeps the root file system read-only, and the databases away from the internet', () => {
    expect(services.floorpass).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(networks.data).toEqual({ internal: true })
    for (const name of ['postgres', 'redis']) expect(services[name]).toMatchObject({ networks: ['data'] })
    expect([services.postgres.ports, services.redis.ports, services.floorpass.ports]).toEqual([undefined, undefined, undefined])
  })
})

describe('the Kubernetes manifests', () => {
  const folder = 'deploy/kubernetes'
  const { template } = readYaml(`${folder}/deployment.yaml`).spec
  const [container] = template.spec.containers

  test('give the service settings with which it starts', () => {
    const { data } = readYaml(`${folder}/settings.yaml`)
    const { stringData } = readYaml(`${folder}/secrets.example.yaml`)
    expectSettings({ ...data, ...stringData, AUTH_SECRET: secret(), METRICS_TOKEN: secret() })
  })

  test('are all in the kustomization, except the example of the secrets and the migration', () => {
    const { resources } = readYaml(`${folder}/kustomization.yaml`)
    const files = readdirSync(fromRoot(folder)).filter(
      (file) => !['kustomization.yaml', 'secrets.example.yaml', 'migrate.yaml'].includes(file),
    )
    expect([...resources].sort()).toEqual(files.sort())
  })

  test('create the namespace that they name', () => {
    const { namespace } = readYaml(`${folder}/kustomization.yaml`)
    expect(readYaml(`${folder}/namespace.yaml`)).toMatchObject({ kind: 'Namespace', metadata: { name: namespace } })
  })

  test('migrate with the image of the service, in a pod that gets no request', () => {
    const { spec } = readYaml(`${folder}/migrate.yaml`)
    const [migration] = spec.template.spec.containers
    expect(migration.image).toBe(container.image)
    expect(migration.securityContext).toEqual(container.securityContext)
    expect(migration.command.slice(1)).toEqual(['apps/service/src/admin.ts', 'migrate'])
    expect(spec.template.metadata.labels).not.toEqual(template.metadata.labels)
  })

  test('run without rights, on a read-only root file system', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    expect(paths.sort()).toEqual(['/tmp', image.DATA_DIR].sort())
  })

  test('select their pods by one label, and reach the port of the image', () => {
    const label = { 'app.kubernetes.io/name': 'floorpass' }
    expect(template.metadata.labels).toEqual(label)
    expect(readYaml(`${folder}/service.yaml`).spec.selector).toEqual(label)
    for (const file of ['deployment', 'disruption-budget'])
      expect(readYaml(`${folder}/${file}.yaml`).spec.selector.matchLabels).toEqual(label)
    expect(readYaml(`${folder}/network-policy.yaml`).spec.podSelector.matchLabels).toEqual(label)
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(image.PORT) }])
  })

  test('leave a stop the time that it may take', () => {
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(27)
    // The drain waits for a failed poll if there were two in five seconds.
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz' }, periodSeconds: 2 })
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
  })
})

describe('the systemd unit', () => {
  const version = Number(
    /^systemd (\d+)/.exec(spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1],
  )

  test.runIf(version >= 252)('exposes little, by the count of systemd', () => {
    const args = ['security', '--offline=true', '--threshold=15', fromRoot('deploy/floorpass.service')]
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect(status, stdout).toBe(0)
  })

  test('leaves V8 what it needs', () => {
    const unit = read('deploy/floorpass.service')
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m)
    expect(unit).toMatch(/^TimeoutStopSec=30$/m)
  })
})
