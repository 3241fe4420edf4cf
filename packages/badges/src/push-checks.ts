import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { parseDirectives } from './directives.ts'
import type { AlertChannel, BrowserCheck, Monitor, MonitorCheck } from './monitor.ts'
import { type Problem, ToolError } from './problem.ts'

/** The tool changes or removes only checks with this tag. */
const ownTag = 'floorpass'

export type Step =
  | { do: 'create'; check: BrowserCheck }
  | { do: 'update'; id: string; check: BrowserCheck; changes: string[] }
  | { do: 'remove'; id: string; name: string }
  | { do: 'keep'; name: string }
  /** A check that cannot pass would only raise false alarms. */
  | { do: 'leave out'; name: string; why: string }

/** Compares `features/*.spec.ts` with the checks of the monitoring service. Throws a ToolError that lists every mistake. */
export async function planChecks(root: string, monitor: Monitor, targetUrl: string): Promise<Step[]> {
  const features = readFeatures(root)
  const channels = await monitor.alertChannels()
  const wanted = await Promise.all(features.map((feature) => buildCheck(root, feature, targetUrl)))
  const problems: Problem[] = []
  const checks = wanted.map(({ alerts, ...check }) => ({
    ...check,
    alertChannelSubscriptions: alerts.flatMap((name) => findSubscription(name, check.name, channels, problems)),
  }))
  if (problems.length > 0) throw new ToolError(...problems)

  const present = (await monitor.checks()).filter(({ checkType, tags }) => checkType === 'BROWSER' && tags?.includes(ownTag))
  const steps = checks.map((check): Step => {
    const why = findObstacle(check)
    if (why !== null) return { do: 'leave out', name: check.name, why }
    const known = present.find(({ name }) => name === check.name)
    if (!known) return { do: 'create', check }
    const changes = findChanges(known, check)
    return changes.length > 0 ? { do: 'update', id: known.id, check, changes } : { do: 'keep', name: check.name }
  })
  const kept = new Set(steps.flatMap((step) => (step.do === 'update' ? [step.id] : [])))
  const isWanted = ({ id, name }: MonitorCheck) => kept.has(id) || steps.some((step) => step.do === 'keep' && step.name === name)
  return [...steps, ...present.filter((check) => !isWanted(check)).map(({ id, name }): Step => ({ do: 'remove', id, name }))]
}

/** Applies a plan step by step. After a failure, plan and apply again. */
export async function applyChecks(monitor: Monitor, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.do === 'create') await monitor.create(step.check)
    else if (step.do === 'update') await monitor.update(step.id, step.check)
    else if (step.do === 'remove') await monitor.remove(step.id)
  }
}

type Feature = { path: string; name: string; directives: ReturnType<typeof parseDirectives> }

function readFeatures(root: string): Feature[] {
  const folder = join(root, 'features')
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.spec.ts')) : []
  const problems: Problem[] = []
  const features = files.sort().flatMap((file) => {
    const path = `features/${file}`
    try {
      return [
        { path, name: basename(file, '.spec.ts'), directives: parseDirectives(path, readFileSync(join(root, path), 'utf8')) },
      ]
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      problems.push(...error.problems)
      return []
    }
  })
  if (problems.length > 0) throw new ToolError(...problems)
  return features
}

async function buildCheck(root: string, { path, name, directives }: Feature, targetUrl: string) {
  const { frequency, locations, alerts, tags } = directives
  return {
    name,
    frequency,
    locations,
    tags: [...tags, ownTag],
    alerts,
    activated: true as const,
    script: await bundle(root, path, targetUrl),
  }
}

/** Bundles local imports into one script. The monitoring service provides the packages. */
async function bundle(root: string, path: string, targetUrl: string): Promise<string> {
  const opening = `import { test } from '@playwright/test'\nimport './${path}'\ntest.use({ baseURL: ${JSON.stringify(targetUrl)} })\n`
  const { outputFiles } = await build({
    stdin: { contents: opening, resolveDir: root, sourcefile: 'check.ts', loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    write: false,
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw new ToolError({ what: `${path} cannot be bundled.`, why: error.message, fix: 'Fix its imports.' })
  })
  return outputFiles[0]?.text ?? ''
}

function findSubscription(name: string, check: string, channels: readonly AlertChannel[], problems: Problem[]) {
  const matching = channels.filter(({ names }) => names.includes(name))
  const [channel] = matching
  if (channel && matching.length === 1) return [{ alertChannelId: channel.id, activated: true as const }]
  problems.push({
    what: `features/${check}.spec.ts: the alert channel "${name}" ${channel ? 'exists more than once' : 'does not exist'}.`,
    why: `The monitoring service has: ${channels.flatMap(({ names }) => names[0] ?? []).join(', ') || 'none'}.`,
    fix: 'Name one of these in @alerts, or create the channel in the monitoring service.',
  })
  return []
}

function findChanges(known: MonitorCheck, wanted: BrowserCheck): string[] {
  const plain = (check: MonitorCheck | BrowserCheck) => ({
    frequency: check.frequency,
    locations: [...(check.locations ?? [])].sort(),
    tags: [...(check.tags ?? [])].sort(),
    script: check.script,
    activated: check.activated,
    alerts: (check.alertChannelSubscriptions ?? [])
      .filter(({ activated }) => activated)
      .map(({ alertChannelId }) => alertChannelId)
      .sort(),
  })
  const [left, right] = [plain(known), plain(wanted)]
  return Object.keys(right).filter(
    (key) => JSON.stringify(left[key as keyof typeof left]) !== JSON.stringify(right[key as keyof typeof right]),
  )
}

const findObstacle = ({ script }: BrowserCheck): string | null =>
  script.includes('/dev/mailbox') ? 'it reads /dev/mailbox, which only a service in local mode has' : null
