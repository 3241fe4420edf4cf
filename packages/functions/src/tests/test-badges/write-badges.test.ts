import { createBadgeProject, vitestReport } from '@floorpass/testing/badge-project'
import { checkWithResult, startMonitor } from '@floorpass/testing/monitor-stand-in'
import { describe, expect, test } from 'vitest'

const monitor = await startMonitor()
const results = 'reports/vitest/results.json'
const tests = '/somewhere/sign-in/packages/functions/src/tests'

/** The badges of a specification: kind, text and colour. */
const badgesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/!\[(\w+) tests: ([^\]]+)\]\(https:\/\/img\.shields\.io\/badge\/\S+-(\w+)\)/g)].map((match) =>
    match.slice(1).join(' · '),
  )

describe('npm run test:badges', () => {
  test('counts the tests whose path contains the name of the specification', async () => {
    const project = createBadgeProject({ 'sign-in': '# Sign-in\n', passwords: '# Passwords\n', profile: '# Profile\n' })
    project.write(
      results,
      vitestReport(
        { name: `${tests}/sign-in/sign-out.test.ts`, tests: ['passed', 'passed', 'skipped'] },
        { name: `${tests}/passwords/change-password.test.ts`, tests: ['passed', 'failed'] },
      ),
    )
    const { code, stdout, stderr } = await project.run(['write'])
    expect([code, stderr]).toEqual([0, ''])
    expect(badgesIn(project.read('docs/specs/sign-in.md'))).toEqual([
      'Frontend · no-tests · lightgrey',
      'Backend · 2 passed · brightgreen',
    ])
    expect(badgesIn(project.read('docs/specs/passwords.md'))).toEqual([
      'Frontend · no-tests · lightgrey',
      'Backend · 1 of 2 failed · red',
    ])
    expect(badgesIn(project.read('docs/specs/profile.md'))).toEqual([
      'Frontend · no-tests · lightgrey',
      'Backend · no-tests · lightgrey',
    ])
    expect(stdout).toContain('MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set')
  })

  test('writes the URLs of shields.io badges', async () => {
    const project = createBadgeProject({ cors: '# CORS\n' })
    project.write(results, vitestReport({ name: `${tests}/cors/cors.test.ts`, tests: ['passed'] }))
    await project.run(['write'])
    expect(project.read('docs/specs/cors.md')).toBe(
      [
        '# CORS',
        '',
        '## Statut des Tests',
        '',
        '<!-- badges:begin (written by npm run test:badges) -->',
        '![Frontend tests: no-tests](https://img.shields.io/badge/frontend%20tests-no--tests-lightgrey)',
        '![Backend tests: 1 passed](https://img.shields.io/badge/backend%20tests-1%20passed-brightgreen)',
        '<!-- badges:end -->',
        '',
      ].join('\n'),
    )
  })

  test("counts the checks of the monitoring service whose name contains the specification's, or the reverse", async () => {
    const project = createBadgeProject({ 'sign-in': '', passwords: '', profile: '', sessions: '', 'linked-accounts': '' })
    const known = [
      checkWithResult('1', 'Sign-In journey', true),
      checkWithResult('2', 'passwords: reset', true),
      checkWithResult('3', 'passwords-change', false),
      // The reverse: the specification's name contains that of the check.
      checkWithResult('4', 'linked', true),
      checkWithResult('5', 'profile', null),
    ]
    const paused = { id: '6', name: 'sessions', checkType: 'BROWSER', activated: false }
    await monitor.set({
      checks: [...known.flatMap(({ checks }) => checks), paused],
      statuses: known
        .flatMap(({ statuses }) => statuses)
        .concat({ ...checkWithResult('6', 'sessions', false).statuses[0] } as never),
    })
    const { code, stdout } = await project.run(['write'], monitor.environment)
    expect(code).toBe(0)
    expect(stdout).not.toContain('MONITOR_')
    const frontend = (spec: string) => badgesIn(project.read(`docs/specs/${spec}.md`))[0]
    expect(frontend('sign-in')).toBe('Frontend · 1 passed · brightgreen')
    expect(frontend('passwords')).toBe('Frontend · 1 of 2 failed · red')
    expect(frontend('linked-accounts')).toBe('Frontend · 1 passed · brightgreen')
    expect(frontend('profile')).toBe('Frontend · no-tests · lightgrey')
    expect(frontend('sessions')).toBe('Frontend · no-tests · lightgrey')
  })

  test('counts a smoke report only for the specification of its name', async () => {
    const project = createBadgeProject({ 'smoke-tests': '', passwords: '' })
    project.write(
      'docs/reports/vitest/specs/smoke-tests.json',
      vitestReport({ name: '/tests/check-passwords', tests: ['passed', 'failed'] }),
    )
    await project.run(['write'])
    expect(badgesIn(project.read('docs/specs/smoke-tests.md'))[1]).toBe('Backend · 1 of 2 failed · red')
    expect(badgesIn(project.read('docs/specs/passwords.md'))[1]).toBe('Backend · no-tests · lightgrey')
  })

  test('ignores the folders above the tests, both fixed ones and those of this machine', async () => {
    const project = createBadgeProject({ 'sign-in': '', functions: '', packages: '', sessions: '' })
    project.write(results, vitestReport({ name: `${tests}/cors/cors.test.ts`, tests: ['passed'] }))
    await project.run(['write'])
    for (const spec of ['sign-in', 'functions', 'packages', 'sessions'])
      expect(badgesIn(project.read(`docs/specs/${spec}.md`))[1]).toBe('Backend · no-tests · lightgrey')
  })

  test('counts a file that could not run as failed, and a file of skipped tests as none', async () => {
    const project = createBadgeProject({ cors: '', profile: '' })
    project.write(
      results,
      vitestReport(
        { name: `${tests}/cors/cors.test.ts`, tests: [], status: 'failed' },
        { name: `${tests}/profile/x.test.ts`, tests: ['skipped', 'todo'] },
      ),
    )
    await project.run(['write'])
    expect(badgesIn(project.read('docs/specs/cors.md'))[1]).toBe('Backend · 1 of 1 failed · red')
    expect(badgesIn(project.read('docs/specs/profile.md'))[1]).toBe('Backend · no-tests · lightgrey')
  })

  test('writes grey badges without a report, and says how to make one', async () => {
    const project = createBadgeProject({ cors: '# CORS\n' })
    const { code, stdout } = await project.run(['write'])
    expect(code).toBe(0)
    expect(stdout).toContain('npm run test:badges:generate')
    expect(badgesIn(project.read('docs/specs/cors.md'))).toEqual([
      'Frontend · no-tests · lightgrey',
      'Backend · no-tests · lightgrey',
    ])
  })

  test.each(['', '{', '[]', '{"testResults":{}}', '{"testResults":[{"name":1}]}'])(
    'names an unreadable report (%j) and changes no file',
    async (text) => {
      const project = createBadgeProject({ cors: '# CORS\n' })
      project.write(results, text)
      project.write('docs/reports/vitest/specs/smoke-tests.json', text)
      const { code, stderr } = await project.run(['write'])
      expect(code).toBe(1)
      expect(stderr).toContain(`${results} cannot be read.`)
      expect(stderr).toContain('docs/reports/vitest/specs/smoke-tests.json cannot be read.')
      expect(stderr).not.toContain('    at ')
      expect(project.read('docs/specs/cors.md')).toBe('# CORS\n')
    },
  )

  test('changes nothing on a second run, and rewrites the same lines for new results', async () => {
    const project = createBadgeProject({ cors: '# CORS\n\nSome text.\n' })
    project.write(results, vitestReport({ name: `${tests}/cors/cors.test.ts`, tests: ['passed'] }))
    await project.run(['write'])
    const first = project.read('docs/specs/cors.md')
    const { stdout } = await project.run(['write'])
    expect(stdout).toContain('kept  docs/specs/cors.md')
    expect(project.read('docs/specs/cors.md')).toBe(first)
    project.write(results, vitestReport({ name: `${tests}/cors/cors.test.ts`, tests: ['failed'] }))
    await project.run(['write'])
    expect(project.read('docs/specs/cors.md')).toBe(
      first
        .replace(/backend%20tests-.*/, 'backend%20tests-1%20of%201%20failed-red)')
        .replace('Backend tests: 1 passed', 'Backend tests: 1 of 1 failed'),
    )
  })
})

describe('an unknown command or an old Node', () => {
  test('prints how to use it', async () => {
    const { code, stderr } = await createBadgeProject().run(['nothing'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Usage: badges <command>')])
  })

  test.each(['20.19.0', '22.14.0', '23.11.1'])('Node %s gets a message with the required version', async (version) => {
    const project = createBadgeProject()
    project.write('as-old-node.mjs', `Object.defineProperty(process.versions, 'node', { value: '${version}' })`)
    const { code, stderr } = await project.run(['write'], { NODE_OPTIONS: `--import ${project.root}/as-old-node.mjs` })
    expect(code).toBe(1)
    expect(stderr).toContain(`needs Node 24.16+ or 26.1+, and this is Node ${version}`)
  })
})
