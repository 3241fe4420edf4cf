import { type BadgeProject, createBadgeProject } from '@floorpass/testing/badge-project'
import { startMonitor } from '@floorpass/testing/monitor-stand-in'
import { describe, expect, test } from 'vitest'

const monitor = await startMonitor()
const target = 'https://accounts.example.test'
const channels = [
  { id: 7, type: 'SLACK', config: { channel: 'oncall' } },
  { id: 8, type: 'EMAIL', config: { address: 'team@example.test' } },
]

const feature = (more: { frequency?: string; alerts?: string; body?: string } = {}) =>
  [
    `// @frequency ${more.frequency ?? '1h'}`,
    '// @locations eu-west-1',
    `// @alerts ${more.alerts ?? 'oncall'}`,
    '// @tags passwords',
    "import { test } from '@playwright/test'",
    "import { greeting } from './support/greeting.ts'",
    more.body ?? "test(greeting, async ({ page }) => { await page.goto('/login') })",
  ].join('\n')

function project(files: Record<string, string> = { 'passwords-reset': feature() }): BadgeProject {
  const created = createBadgeProject()
  created.write('features/support/greeting.ts', "export const greeting: string = 'passwords: hello'\n")
  for (const [name, text] of Object.entries(files)) created.write(`features/${name}.spec.ts`, text)
  return created
}
const plan = (from: BadgeProject) => from.run(['checks', 'plan', target], monitor.environment)
const apply = (from: BadgeProject) => from.run(['checks', 'apply', target], monitor.environment)
const writes = (requests: string[]) => requests.filter((request) => !request.startsWith('GET '))

async function start(checks: Parameters<typeof monitor.set>[0]['checks'] = []): Promise<void> {
  await monitor.set({ checks, alertChannels: channels, answers: [] })
  await monitor.seen()
}

describe('the checks of the monitoring service', () => {
  test('a plan changes nothing', async () => {
    await start()
    const { code, stdout } = await plan(project())
    expect(code).toBe(0)
    expect(stdout).toContain('+ passwords-reset is new (every 60 min from eu-west-1; passwords, floorpass)')
    expect(stdout).toContain('Nothing was changed')
    const { requests, checks } = await monitor.seen()
    expect([writes(requests), checks]).toEqual([[], []])
  })

  test('are created from the directives, each as one script against the service', async () => {
    await start()
    const { code } = await apply(
      project({ 'passwords-reset': feature({ frequency: '10m', alerts: 'oncall, team@example.test' }) }),
    )
    expect(code).toBe(0)
    const { checks } = await monitor.seen()
    expect(checks).toMatchObject([
      {
        name: 'passwords-reset',
        checkType: 'BROWSER',
        activated: true,
        frequency: 10,
        locations: ['eu-west-1'],
        tags: ['passwords', 'floorpass'],
        alertChannelSubscriptions: [
          { alertChannelId: 7, activated: true },
          { alertChannelId: 8, activated: true },
        ],
      },
    ])
    const script = String(checks[0]?.script)
    expect(script).toContain('passwords: hello')
    expect(script).toContain('require("@playwright/test")')
    expect(script).toContain(`test.use({ baseURL: "${target}" })`)
    expect(script).not.toContain('greeting.ts"')
    expect(script).not.toContain('/tmp/')
  })

  test('stay as they are when nothing changed', async () => {
    await start()
    const files = project()
    await apply(files)
    await monitor.seen()
    const { stdout } = await apply(files)
    expect(stdout).toContain('= passwords-reset is unchanged')
    expect(writes((await monitor.seen()).requests)).toEqual([])
  })

  test('follow their files when changed, new or deleted, and other checks stay untouched', async () => {
    await start([{ id: 'theirs', name: 'passwords-old', checkType: 'BROWSER', activated: true, tags: ['by-hand'] }])
    await apply(project({ 'passwords-reset': feature(), 'passwords-old': feature(), 'passwords-set': feature() }))
    const { code, stdout } = await apply(
      project({ 'passwords-reset': feature({ frequency: '2h' }), 'passwords-set': feature(), 'passwords-new': feature() }),
    )
    expect(code).toBe(0)
    expect(stdout).toContain('~ passwords-reset changes: frequency')
    expect(stdout).toContain('+ passwords-new is new')
    expect(stdout).toContain('- passwords-old has no feature file that could pass there')
    const { checks } = await monitor.seen()
    expect(checks.map(({ id, name }) => (id === 'theirs' ? `theirs ${name}` : name)).sort()).toEqual([
      'passwords-new',
      'passwords-reset',
      'passwords-set',
      'theirs passwords-old',
    ])
    expect(checks.find(({ name }) => name === 'passwords-reset')?.frequency).toBe(120)
  })

  test('that cannot pass on a deployed service are named and left out, even existing ones', async () => {
    await start()
    const hopeless = feature({ body: "test('x', ({ page }) => page.goto('/dev/mailbox'))" })
    await apply(project({ 'passwords-reset': feature() }))
    const files = project({ 'passwords-reset': hopeless, 'passwords-set': hopeless, 'passwords-change': feature() })
    const { code, stdout } = await apply(files)
    expect(code).toBe(0)
    for (const name of ['passwords-reset', 'passwords-set'])
      expect(stdout).toContain(`! ${name} is left out: it reads /dev/mailbox, which only a service in local mode has`)
    const { checks } = await monitor.seen()
    expect(checks.map(({ name }) => name)).toEqual(['passwords-change'])
  })

  test('are not pushed at all when one directive, import or channel is wrong', async () => {
    await start()
    for (const [files, why] of [
      [{ a: feature({ frequency: '7m' }), b: feature() }, 'features/a.spec.ts:1: @frequency 7m'],
      [{ a: feature({ alerts: 'unknown' }), b: feature() }, 'features/a.spec.ts: the alert channel "unknown" does not exist.'],
      [{ a: feature({ body: "import './missing.ts'" }), b: feature() }, 'features/a.spec.ts cannot be bundled.'],
    ] as const) {
      const { code, stderr } = await apply(project(files))
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    }
    expect(writes((await monitor.seen()).requests)).toEqual([])
  })

  test('a creation without an answer is not repeated', async () => {
    await start()
    const files = project()
    const answers = [{ status: 200, body: channels }, { status: 200, body: [] }, 'hang-up' as const]
    await monitor.set({ answers })
    const { code, stderr } = await apply(files)
    expect([code, stderr]).toEqual([1, expect.stringContaining('POST /v1/checks/browser')])
    expect(writes((await monitor.seen()).requests)).toEqual(['POST /v1/checks/browser'])
  })

  test.each([[['checks', 'plan']], [['checks', 'apply', 'not a url']], [['checks', 'plan', 'ftp://x.test']]])(
    '%j prints what is missing',
    async (args) => {
      const { code, stderr } = await project().run(args, monitor.environment)
      expect([code, stderr]).toEqual([1, expect.stringContaining('The address of the service is missing.')])
    },
  )
})
