import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { loadConfig } from '@floorpass/env'
import { superviseWorkers } from '@floorpass/service/primary'
import { openWorkerChannel } from '@floorpass/service/worker-channel'
import { afterEach, expect, test, vi } from 'vitest'

type Message = { line: string; subject: string; value?: unknown; id?: number; re?: number }

/** A fake worker process. */
class Child extends EventEmitter {
  connected = true
  pid: number | undefined = 1
  sent: Message[] = []
  killed: unknown[] = []
  send = (message: Message) => this.sent.push(message)
  kill = (signal: unknown) => this.killed.push(signal)
}

const config = loadConfig({
  WEB_CONCURRENCY: '2',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'silent',
})
const signals = ['SIGINT', 'SIGTERM'] as const
const listenersBefore = signals.map((signal) => process.listeners(signal))

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  for (const [place, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (!listenersBefore[place]?.includes(listener)) process.off(signal, listener)
})

/** Supervises workers whose starts succeed or fail in turn: child_process throws ENOMEM, and emits any other error. */
function supervise(starts: (true | 'throws' | 'emits')[]) {
  const workers: (EventEmitter & { id: number; process: Child })[] = []
  let requested = 0
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    requested += 1
    const start = starts[requested - 1]
    if (start === 'throws') throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
    const worker = Object.assign(new EventEmitter(), { id: requested, process: new Child() })
    if (start === 'emits') {
      worker.process.pid = undefined
      process.nextTick(() => worker.emit('error', Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })))
    } else workers.push(worker)
    return worker as unknown as Worker
  })
  const errors: string[] = []
  const over = superviseWorkers((line) => errors.push(line), config)
  return { workers, errors, over, requested: () => requested }
}

test.each(['throws', 'emits'] as const)(
  'a worker that cannot be started (%s) is retried, and the others serve on',
  async (how) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { workers, errors, over, requested } = supervise([true, ...Array(5).fill(how), true])
    workers[0]?.emit('listening')
    expect([workers.length, requested()]).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(10_000)
    expect([workers.length, requested(), errors, workers[0]?.process.killed]).toEqual([2, 7, [], []])
    process.listeners('SIGTERM').at(-1)?.('SIGTERM')
    for (const worker of workers) worker.emit('exit', 0, null)
    expect(await over).toBe(0)
  },
)

test.each([
  ['throws', 'spawn ENOMEM'],
  ['emits', 'spawn EAGAIN'],
] as const)('the service reports a first worker that cannot be started (%s), and ends', async (how, why) => {
  const { errors, over } = supervise([how])
  expect([await over, errors]).toEqual([1, [`The first worker could not be started: ${why}.`]])
})

test('a stopping service does not wait for a worker that could not be started', async () => {
  const { workers, over } = supervise([true, 'emits'])
  workers[0]?.emit('listening')
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  workers[0]?.emit('exit', 0, null)
  expect(await over).toBe(0)
})

test('a worker that stops alone never tells the others that the service stops', async () => {
  const { workers } = supervise([true, true])
  workers[0]?.emit('listening')
  const [one, other] = workers.map(({ process: child }) => child)
  const pollsOf = (child: Child | undefined) => child?.sent.filter(({ subject }) => subject === 'poll').map(({ value }) => value)
  one?.emit('message', { line: 'floorpass', subject: 'poll', value: true })
  expect(pollsOf(other)).toEqual([false])
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  one?.emit('message', { line: 'floorpass', subject: 'poll', value: true })
  expect([pollsOf(other), other?.killed]).toEqual([[false, true], ['SIGTERM']])
  expect(pollsOf(one)).toEqual([])
})

test('kills a worker that misses three heartbeats in a row, and keeps one that answers the third', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { workers } = supervise([true, true, true])
  for (const worker of workers) worker.emit('listening')
  const [hanging, slow] = workers
  let requested = 0
  Object.assign(slow?.process ?? {}, {
    send({ subject, id }: Message) {
      if (subject !== 'alive') return
      requested += 1
      if (requested % 3 === 0) slow?.process.emit('message', { line: 'floorpass', subject, value: true, re: id })
    },
  })
  await vi.advanceTimersByTimeAsync(29_000)
  expect(hanging?.process.killed).toEqual([])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(hanging?.process.killed).toEqual(['SIGKILL'])
  hanging?.emit('exit', null, 'SIGKILL')
  await vi.advanceTimersByTimeAsync(90_000)
  expect([workers.length, requested > 9, slow?.process.killed]).toEqual([3, true, []])
})

test.each([
  ['within two minutes end the service', 20, 5, 1],
  ['spread over time are replaced, and the service serves on', 31, 12, 0],
] as const)('deaths of workers %s', async (_, secondsBetween, deaths, exitCode) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { workers, errors, over } = supervise(Array(30).fill(true))
  workers[0]?.emit('listening')
  for (let died = 0; died < deaths; died += 1) {
    workers.at(-1)?.emit('exit', null, 'SIGKILL')
    await vi.advanceTimersByTimeAsync(secondsBetween * 1000)
  }
  expect(errors).toEqual(exitCode === 1 ? [expect.stringContaining('5 workers died')] : [])
  expect(workers).toHaveLength(2 + (exitCode === 1 ? deaths - 1 : deaths))
  if (exitCode === 0) process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  for (const worker of workers) worker.emit('exit', 0, null)
  expect(await over).toBe(exitCode)
})

test('a request for an unknown subject gets no answer', async () => {
  const [here, there] = [new Child(), new Child()]
  here.send = (message) => Number(there.emit('message', message))
  there.send = (message) => Number(here.emit('message', message))
  const [asking, requested] = [openWorkerChannel(here as never), openWorkerChannel(there as never)]
  requested.on('known', () => 'an answer')
  expect(await asking.request('known', 100)).toBe('an answer')
  await expect(asking.request('unknown', 100)).rejects.toThrow('no answer to unknown in 100 ms')
})
