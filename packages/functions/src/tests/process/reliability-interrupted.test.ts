import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findPostgres, findRedis } from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import { temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const isInstalled = { postgres: findPostgres() !== null, 'redis-server': findRedis() !== null }

type Process = { pid: number; parent: number; command: string }

function listProcesses(): Process[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }))
}

function listDescendants(pid: number, all = listProcesses()): Process[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...listDescendants(child.pid, all)])
}

test.for([
  ['SIGINT', 130, 'slow-database', 'postgres'],
  ['SIGTERM', 143, 'slow-database', 'postgres'],
  ['SIGTERM', 143, 'redis-outage', 'redis-server'],
] as const)(
  '%s ends a reliability run with code %i, every process of %s and its folders',
  async ([signal, code, scenario, server], { skip }) => {
    skip(!isInstalled[server], `this machine has no ${server}`)
    const folder = await temporaryFolder()
    chmodSync(folder, 0o711)
    const run = spawn(
      process.execPath,
      ['scripts/run-typescript.mjs', 'packages/reliability/src/cli.ts', '--quick', '--only', scenario],
      { cwd: root, env: { PATH: process.env.PATH, TMPDIR: folder }, stdio: 'ignore' },
    )
    const exited = once(run, 'close')
    const started = await eventually(() => {
      const descendants = listDescendants(run.pid ?? 0)
      const commands = descendants.map(({ command }) => command).join('\n')
      expect(commands).toContain(server)
      expect(commands).toContain('server.js')
      return descendants
    }, 30_000)
    run.kill(signal)
    expect((await exited)[0]).toBe(code)
    expect(readdirSync(folder)).toEqual([])
    await eventually(() => {
      const running = listProcesses()
      expect(running.filter(({ pid, command }) => started.some((each) => each.pid === pid && each.command === command))).toEqual(
        [],
      )
    })
  },
)
