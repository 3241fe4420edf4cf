import { execFileSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { outboxOf } from '../person.ts'
import { expectThat, rate, type Scenario } from '../scenario.ts'
import { launchService, startService } from '../service-process.ts'
import { halfMade, lostWrites, withStored } from '../stored.ts'
import { startTraffic, stillBroken, watchRecovery } from '../traffic.ts'

export const diskFull: Scenario = {
  name: 'disk-full',
  promise:
    'The disk of the embedded database fills up under load, and is mounted read-only (T194): nothing that was acknowledged is lost. Requests get 503, or the process ends and says what to do; with space again it serves.',
  needs: ['mount'],
  async run({ quick, folder, say }) {
    const disk = await folder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=220m,mode=0700', 'tmpfs', disk])
    try {
      const environment = { DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', LOG_LEVEL: 'error' }
      const ballast = join(disk, 'ballast')
      const problems: string[] = []
      const recoveries: number[] = []
      let requests = 0
      let refused = 0
      let writes = 0
      let ends = 0
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
        // The load writes too: what does not fit any more is cut off.
        await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - (round % 2) * 65_536))).catch(
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error
          },
        )
        for (const end = Date.now() + (quick ? 4_000 : 10_000); !isGone && Date.now() < end; ) await delay(100)
        const whileFull = traffic.attempts.slice(fullSince)
        await rm(ballast)
        const freed = Date.now()
        const endedItself = isGone
        if (endedItself) {
          ends += 1
          const { code, stderr } = await service.exited
          expectThat(
            problems,
            code === 1 && /Acknowledged writes are kept/.test(stderr),
            `it ended with code ${code}: ${stderr.slice(-200)}`,
          )
        }
        const troubles = whileFull.filter(({ status, trouble }) => trouble !== null && !(endedItself && status === null))
        for (const { kind, trouble } of troubles.slice(0, 3)) problems.push(`${kind}: ${trouble}`)
        let successor = service
        if (endedItself) {
          await traffic.stop()
          successor = await startService(environment)
          recoveries.push(Date.now() - freed)
        } else {
          recoveries.push(await watchRecovery(traffic, freed, 4_000))
          problems.push(...stillBroken(traffic.attempts, freed))
          await traffic.stop()
        }
        await successor.end('SIGTERM')
        requests += traffic.attempts.length
        refused += whileFull.filter(({ status }) => status === 503).length
        writes += traffic.signedUp.length + (traffic.names[0]?.acknowledged ?? 0)
        const [lost, halves] = await withStored(environment, async (db) => [await lostWrites(db, traffic), await halfMade(db)])
        lostCount += lost.length
        problems.push(...lost.map((what) => `lost: ${what}`), ...halves)
        say(
          `round ${round + 1}: ${endedItself ? 'it ended itself' : 'it went on'}, well again after ${Math.round(recoveries.at(-1) ?? 0)} ms`,
        )
      }

      execFileSync('mount', ['-o', 'remount,ro', disk])
      const { code, stderr } = await launchService({ ...environment, PORT: '0', BASE_URL: 'http://localhost:1' }).exited
      expectThat(
        problems,
        code === 1 && stderr.includes('DATA_DIR'),
        `on a read-only disk it ended with code ${code}: ${stderr.slice(0, 200)}`,
      )
      execFileSync('mount', ['-o', 'remount,rw', disk])
      const last = await startService(environment)
      await last.end('SIGTERM')
      expectThat(problems, Math.max(...recoveries) < 30_000, `it took ${Math.max(...recoveries)} ms`)
      return {
        load: `${rate(requests, Date.now() - began)} from 8 callers`,
        faults: `${rounds} × a full disk (no byte, or 64 kB left) for up to ${quick ? 4 : 10} s, and a start on a read-only one`,
        requests,
        lost: `${lostCount} of ${writes} acknowledged writes lost; ${refused} answered 503; it ended itself ${ends} times`,
        recovery: `served ${Math.round(Math.max(...recoveries))} ms after there was space again, a restart included, at the longest`,
        problems,
      }
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  },
}
