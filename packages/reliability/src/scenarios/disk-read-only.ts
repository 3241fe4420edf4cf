import { execFileSync } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findLostWrites, findPartialWrites, withDatabase } from '../check-database.ts'
import { outboxOf } from '../person.ts'
import { onRunEnd } from '../run-end.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'
import { startTraffic } from '../traffic.ts'

export const diskReadOnly: Scenario = {
  name: 'disk-read-only',
  promise:
    'The file system of the embedded database becomes read-only under load, as ext4 does after an error (T194). No acknowledged write is lost. Requests get 503, or the process exits and says what to do. After a check and a new mount it serves again.',
  needs: ['mount'],
  async run({ quick, folder }) {
    const [image, disk] = [join(await folder(), 'disk.ext4'), await folder()]
    await writeFile(image, '')
    await truncate(image, 256 * 1024 * 1024)
    execFileSync('mkfs.ext4', ['-q', image])
    const mount = () => execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, disk])
    mount()
    const unmount = onRunEnd(() => execFileSync('umount', ['-l', disk]))
    try {
      const environment = { DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', LOG_LEVEL: 'error' }
      const service = await startService(environment)
      const traffic = await startTraffic({ url: service.url, origin: service.url }, outboxOf(environment.DATA_DIR))
      const began = Date.now()
      await delay(1_500)
      const before = traffic.attempts.length
      const device = basename(execFileSync('findmnt', ['-no', 'SOURCE', disk], { encoding: 'utf8' }).trim())
      await writeFile(`/sys/fs/ext4/${device}/trigger_fs_error`, 'broken on purpose')
      const ended = await Promise.race([service.exited, delay(quick ? 4_000 : 10_000, null)])
      await traffic.stop()
      const ms = Date.now() - began
      const whileBroken = traffic.attempts.slice(before)
      const problems: string[] = []
      if (ended)
        expectThat(
          problems,
          ended.code === 1 && /Acknowledged writes are kept/.test(ended.stderr),
          `the service exited with code ${ended.code}: ${ended.stderr.slice(-200)}`,
        )
      else await service.end('SIGTERM')
      for (const { kind, trouble, status } of whileBroken)
        if (trouble !== null && !(ended && status === null)) problems.push(`${kind}: ${trouble}`)

      execFileSync('umount', [disk])
      // e2fsck exits with 1 when it repaired the file system.
      execFileSync('sh', ['-c', 'e2fsck -fy "$0" || [ $? -eq 1 ]', image], { stdio: 'ignore' })
      mount()
      const mounted = Date.now()
      const successor = await startService(environment)
      const took = Date.now() - mounted
      await successor.end('SIGTERM')
      const [lost, partial] = await withDatabase(environment, async (db) => [
        await findLostWrites(db, traffic),
        await findPartialWrites(db),
      ])
      problems.push(...lost.map((what) => `lost: ${what}`), ...partial)
      const writes = traffic.signedUp.length + (traffic.names[0]?.acknowledged ?? 0)
      const refused = whileBroken.filter(({ status }) => status === 503).length
      expectThat(problems, ended !== null || refused > 0, 'no request met the fault')
      return {
        load: `${formatRate(traffic.attempts.length, ms)} from 8 callers`,
        faults: 'an ext4 error (trigger_fs_error) under a running service',
        requests: traffic.attempts.length,
        lost: `${lost.length} of ${writes} acknowledged writes lost; ${refused} requests answered 503; the service ${ended ? 'exited' : 'continued'}`,
        recovery: `served ${took} ms after the new mount, including a start`,
        problems,
      }
    } finally {
      unmount()
    }
  },
}
