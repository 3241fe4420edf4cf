import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { loadConfig } from '@floorpass/env'
import { superviseWorkers } from '@floorpass/service/primary'
import { openWorkerChannel } from '@floorpass/service/worker-channel'
import { afterEach, expect, test, vi } from 'vitest'

type Message = { line: string; subject: string; value?: unknown; id?: number; re?: number }

/** A worker's process as its primary has it, without one. */
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

/** Whether each process that is asked for can be started, in turn: node:child_process throws for want of memory, and tells of any other want. */
function supervise(starts: (true | 'throws' | 'tells')[]) {
  const workers: (EventEmitter & { id: number; process: Child })[] = []
  let asked = 0
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    asked += 1
    const start = starts[asked - 1]
    if (start === 'throws') throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
    const worker = Object.assign(new EventEmitter(), { id: asked, process: new Child() })
    if (start === 'tells') {
      worker.process.pid = undefined
      process.nextTick(() => worker.emit('error', Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })))
    } else workers.push(worker)
    return worker as unknown as Worker
  })
  const complaints: string[] = []
  const over = superviseWorkers((line) => complaints.push(line), config)
  return { workers, complaints, over, asked: () => asked }
}

test.each(['throws', 'tells'] as const)(
  'a worker that cannot be started (%s) is tried again, and the others serve on',
  async (how) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { workers, complaints, over, asked } = supervise([true, ...Array(5).fill(how), true])
    workers[0]?.emit('listening')
    expect([workers.length, asked()]).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(10_000)
    expect([workers.length, asked(), complaints, workers[0]?.process.killed]).toEqual([2, 7, [], []])
    process.listeners('SIGTERM').at(-1)?.('SIGTERM')
    for (const worker of workers) worker.emit('exit', 0, null)
    expect(await over).toBe(0)
  },
)

test.each([
  ['throws', 'spawn ENOMEM'],
  ['tells', 'spawn EAGAIN'],
] as const)('a first worker that cannot be started (%s) is said, and ends the service', async (how, why) => {
  const { complaints, over } = supervise([how])
  expect([await over, complaints]).toEqual([1, [`The first worker could not be started: ${why}.`]])
})

test('a service that ends waits for no worker that could not be started', async () => {
  const { workers, over } = supervise([true, 'tells'])
  workers[0]?.emit('listening')
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  workers[0]?.emit('exit', 0, null)
  expect(await over).toBe(0)
})

test('who polls a worker that ends alone has not been told that the service ends', async () => {
  const { workers } = supervise([true, true])
  workers[0]?.emit('listening')
  const [one, other] = workers.map(({ process: child }) => child)
  const toldOf = (child: Child | undefined) => child?.sent.filter(({ subject }) => subject === 'poll').map(({ value }) => value)
  one?.emit('message', { line: 'floorpass', subject: 'poll', value: true })
  expect(toldOf(other)).toEqual([false])
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  one?.emit('message', { line: 'floorpass', subject: 'poll', value: true })
  expect([toldOf(other), other?.killed]).toEqual([[false, true], ['SIGTERM']])
  expect(toldOf(one)).toEqual([])
})

test('a worker that misses three questions in a row is killed, one that answers the third is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { workers } = supervise([true, true, true])
  for (const worker of workers) worker.emit('listening')
  const [hanging, slow] = workers
  let asked = 0
  Object.assign(slow?.process ?? {}, {
    send({ subject, id }: Message) {
      if (subject !== 'alive') return
      asked += 1
      if (asked % 3 === 0) slow?.process.emit('message', { line: 'floorpass', subject, value: true, re: id })
    },
  })
  await vi.advanceTimersByTimeAsync(29_000)
  expect(hanging?.process.killed).toEqual([])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(hanging?.process.killed).toEqual(['SIGKILL'])
  hanging?.emit('exit', null, 'SIGKILL')
  await vi.advanceTimersByTimeAsync(90_000)
  expect([workers.length, asked > 9, slow?.process.killed]).toEqual([3, true, []])
})

test('a question that nobody there knows gets no answer', async () => {
  const [here, there] = [new Child(), new Child()]
  here.send = (message) => Number(there.emit('message', message))
  there.send = (message) => Number(here.emit('message', message))
  const [asking, asked] = [openWorkerChannel(here as never), openWorkerChannel(there as never)]
  asked.on('known', () => 'an answer')
  expect(await asking.request('known', 100)).toBe('an answer')
  await expect(asking.request('unknown', 100)).rejects.toThrow('no answer to unknown in 100 ms')
})
