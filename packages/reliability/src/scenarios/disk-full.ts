import { execFileSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findLostWrites, findPartialWrites, withDatabase } from '../check-database.ts'
import { outboxOf } from '../person.ts'
import { onRunEnd } from '../run-end.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { launchService, startService } from '../service-process.ts'
import { findUnrecovered, startTraffic, watchRecovery } from '../traffic.ts'

export const diskFull: Scenario = {
  name: 'disk-full',
  promise:
    'The disk of the embedded database fills up under load, and is mounted read-only (T194). No acknowledged write is lost. Requests get 503, or the process exits and says what to do. With free space it serves again.',
  needs: ['mount'],
  async run({ quick, folder, say }) {
    const disk = await folder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=220m,mode=0700', 'tmpfs', disk])
    const unmount = onRunEnd(() => execFileSync('umount', ['-l', disk]))
    try {
      const environment = { DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', LOG_LEVEL: 'error' }
      const ballast = join(disk, 'ballast')
      const problems: string[] = []
      const recoveries: number[] = []
      let requests = 0
      let refused = 0
      let writes = 0
      let exits = 0
      let lostCount = 0
      const began = Date.now()
      const rounds = quick ? 1 : 3
      for (let round = 0; round < rounds; round += 1) {
        const service = await startService(environment)
        let isGone = false
        void service.exited.then(() => {
          isGone = true
        })
        const traffic = await startTraffic({ url: service.url, origin: service.url }, outboxOf(environment.DATA_DIR))
        await delay(1_500)
        const fullSince = traffic.attempts.length
        const { bavail, bsize } = await statfs(disk)
        // The load also writes, so the ballast may not fit.
        await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - (round % 2) * 65_536))).catch(
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error
          },
        )
        for (const end = Date.now() + (quick ? 4_000 : 10_000); !isGone && Date.now() < end; ) await delay(100)
        const whileFull = traffic.attempts.slice(fullSince)
        await rm(ballast)
        const freed = Date.now()
        const hasExited = isGone
        if (hasExited) {
          exits += 1
          const { code, stderr } = await service.exited
          expectThat(
            problems,
            code === 1 && /Acknowledged writes are kept/.test(stderr),
            `the service exited with code ${code}: ${stderr.slice(-200)}`,
          )
        }
        const troubles = whileFull.filter(({ status, trouble }) => trouble !== null && !(hasExited && status === null))
        for (const { kind, trouble } of troubles.slice(0, 3)) problems.push(`${kind}: ${trouble}`)
        let successor = service
        if (hasExited) {
          await traffic.stop()
          successor = await startService(environment)
          recoveries.push(Date.now() - freed)
        } else {
          recoveries.push(await watchRecovery(traffic, freed, 4_000))
          problems.push(...findUnrecovered(traffic.attempts, freed))
          await traffic.stop()
        }
        await successor.end('SIGTERM')
        requests += traffic.attempts.length
        refused += whileFull.filter(({ status }) => status === 503).length
        writes += traffic.signedUp.length + (traffic.names[0]?.acknowledged ?? 0)
        const [lost, partial] = await withDatabase(environment, async (db) => [
          await findLostWrites(db, traffic),
          await findPartialWrites(db),
        ])
        lostCount += lost.length
        problems.push(...lost.map((what) => `lost: ${what}`), ...partial)
        say(
          `round ${round + 1}: ${hasExited ? 'the service exited' : 'the service continued'}, recovered after ${Math.round(recoveries.at(-1) ?? 0)} ms`,
        )
      }

      execFileSync('mount', ['-o', 'remount,ro', disk])
      const { code, stderr } = await launchService({ ...environment, PORT: '0', BASE_URL: 'http://localhost:1' }).exited
      expectThat(
        problems,
        code === 1 && stderr.includes('DATA_DIR'),
        `on a read-only disk the service exited with code ${code}: ${stderr.slice(0, 200)}`,
      )
      execFileSync('mount', ['-o', 'remount,rw', disk])
      const last = await startService(environment)
      await last.end('SIGTERM')
      expectThat(problems, Math.max(...recoveries) < 30_000, `recovery took ${Math.max(...recoveries)} ms`)
      return {
        load: `${formatRate(requests, Date.now() - began)} from 8 callers`,
        faults: `${rounds} × a full disk (0 or 64 kB free) for up to ${quick ? 4 : 10} s, and a start on a read-only disk`,
        requests,
        lost: `${lostCount} of ${writes} acknowledged writes lost; ${refused} requests answered 503; the service exited ${exits} times`,
        recovery: `served at most ${Math.round(Math.max(...recoveries))} ms after space was freed, including a restart`,
        problems,
      }
    } finally {
      unmount()
    }
  },
}
