import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findSources, findTests, nightlyFolder, tables, testMap } from '@floorpass/testing/mutation/test-map'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const read = (name: string) => readFileSync(new URL(`../../../../../.github/workflows/${name}.yml`, import.meta.url), 'utf8')

/** Parses a workflow in our format: its trigger, and the needs and commands of each job. */
function workflow(name: string) {
  const [head = '', jobs = ''] = read(name).split(/^jobs:\n/m)
  const listed = (text = '') => text.replace(/[[\]\s]/g, '').split(',')
  const found = jobs.split(/^(?= {2}[\w-]+:\n)/m).map((text) => {
    const [, job = ''] = /^ {2}([\w-]+):/.exec(text) ?? []
    const needs = /^ {4}needs: (.+)$/m.exec(text)?.[1]
    const runs = [...text.matchAll(/^ {6}(?:- | {2})run: (.+)$/gm)].map(([, command = '']) => command)
    return [job, { text, needs: needs ? listed(needs) : [], runs }] as const
  })
  const [, event = '', branches] = /^on:\n {2}(\w+):\n {4}branches: (.+)$/m.exec(head) ?? []
  return { event, branches: listed(branches), jobs: Object.fromEntries(found) }
}

test('a push to main runs release, deploy, smoke tests and badges, one after the other', () => {
  const { event, branches, jobs } = workflow('main')
  expect([event, branches]).toEqual(['push', ['main']])
  const order = ['checks', 'release', 'deploy', 'smoke', 'badges']
  for (const [place, job] of order.entries()) {
    if (place > 0) expect([job, jobs[job]?.needs]).toEqual([job, expect.arrayContaining([order[place - 1]])])
  }
})

test('the smoke tests run against the deployed service, and their report is committed as badges, even after a failure', () => {
  const { smoke, badges } = workflow('main').jobs
  expect(smoke?.runs).toContain('npm run test:smoke -- "$SERVICE"')
  expect(smoke?.text).toMatch(/SERVICE: \$\{\{ vars\.DEPLOY_URL \}\}/)
  for (const job of [smoke, badges]) expect(job?.text).toMatch(/name: smoke-report\n +path: docs\/reports\/vitest\/specs\n/)
  expect(badges?.runs).toEqual(['npm run bootstrap', 'npm run test:badges', 'npm run badges:commit -- main'])
  expect(badges?.text).toContain("!cancelled() && needs.deploy.result == 'success'")
})

test('a pull request to main or develop runs the backend tests, then commits the badges, even after a failure', () => {
  const { event, branches, jobs } = workflow('pull-request')
  expect([event, branches]).toEqual(['pull_request', ['main', 'develop']])
  expect(jobs.checks?.text).toContain('uses: ./.github/workflows/checks.yml')
  expect(workflow('checks').jobs.report?.runs).toEqual(['npm run test:merge'])
  expect(jobs.badges?.needs).toEqual(['checks'])
  expect(jobs.badges?.text).toMatch(/if: \$\{\{ !cancelled\(\) /)
  expect(jobs.badges?.runs).toEqual(['npm run bootstrap', 'npm run test:badges', 'npm run badges:commit -- "$BRANCH"'])
})

/** The parts that the machines of a workflow run, without their shares: `embedded:1/2` is a share of `embedded`. */
function wholeParts(name: string) {
  const named = [...read(name).matchAll(/^ {10}- (.+)$/gm)].flatMap(([, line = '']) => line.split(' '))
  return [...new Set(named.map((part) => part.replace(/:.*/, '')))].filter((part) => {
    const shares = named.filter((one) => one.startsWith(`${part}:`))
    const all = shares.map((_, index) => `${part}:${index + 1}/${shares.length}`)
    return shares.length === 0 || JSON.stringify(shares.sort()) === JSON.stringify(all)
  })
}

test('the machines of a push run every part of .ci/run to its last share, and PostgreSQL meets every file at night', () => {
  const script = readFileSync(new URL('../../../../../.ci/run', import.meta.url), 'utf8')
  const parts = /^lanes=\((.+)\)$/m.exec(script)?.[1]?.match(/[a-z]+/g) ?? []
  expect(parts).toContain('embedded')
  expect(wholeParts('checks').sort()).toEqual(parts.sort())
  expect(wholeParts('postgres')).toEqual(['postgres-whole'])
  for (const name of ['checks', 'postgres']) expect(workflow(name).jobs.parts?.runs).toEqual(['npm run ci -- $PARTS'])
})

test.each(['postgre', 'browser:1', 'browser:0/2', 'embedded postgres', '--help'])(
  '.ci/run refuses the part %j and names all parts',
  (part) => {
    const { status, stderr } = spawnSync('bash', ['.ci/run', 'static', part], { cwd: root, encoding: 'utf8' })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`^There is no part '${part}'. Parts: embedded browser `)),
    ])
  },
)

test('mutants run at night, one folder each night, and cannot turn main red', () => {
  const { jobs } = workflow('mutation')
  expect(jobs.mutate?.runs).toEqual(['npm run mutate -- --nightly'])
  expect(jobs.mutate?.text).toContain('continue-on-error: true')
  expect(read('mutation')).not.toMatch(/^ {2}(?:push|pull_request):/m)
  const days = Array.from({ length: 31 }, (_, day) => nightlyFolder(new Date(Date.UTC(2027, 0, 1 + day))))
  expect(new Set(days)).toEqual(new Set(Object.keys(testMap)))
})

test.each([...Object.entries(testMap), ['packages/api/src', tables] as const])(
  'each mutant of %s runs against test files that exist',
  (folder, entries) => {
    expect(findSources(root, [folder])).not.toEqual([])
    for (const entry of entries) expect([entry, findTests(root, [entry])]).not.toEqual([entry, []])
  },
)
