import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'

// The load generator, a process of its own. It speaks HTTP/1.1 on raw sockets, because it shares the machine with what it measures: an
// HTTP client library would take longer to read an answer than the bare server takes to make it, and flatter every ratio.

/** One run: `requests` in turn, over `connections` that each wait for their answer, for `seconds`; or at a fixed `rate` a second. */
export type Job = {
  port: number
  connections: number
  seconds: number
  /** Requests a second, sent when they are due, whatever became of the ones before; null sends as fast as answers come. */
  rate: number | null
  /** Whole requests, as they go over the wire. */
  requests: string[]
  /** What each answer must have, in the order of `requests`: the status, and a text in its body. */
  expected: { status: number; body: string }[]
  /** Start over at the end of the list; else the run ends with it. */
  repeat: boolean
}

/** Times are in milliseconds; a late answer counts from when its request was due. `wrong` are answers that were not as expected. */
export type Outcome = {
  answers: number
  seconds: number
  p50: number
  p99: number
  longest: number
  wrong: number
  firstWrong: string | null
  generatorCpuSeconds: number
}

type Answer = { status: number; body: Buffer }

async function generate(job: Job): Promise<Outcome> {
  const latency = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const encoded = job.requests.map((request) => Buffer.from(request))
  const markers = job.expected.map(({ body }) => Buffer.from(body))
  const cpu = process.cpuUsage()
  const started = performance.now()
  const end = started + job.seconds * 1000
  let next = 0
  let answers = 0
  let wrong = 0
  let firstWrong: string | null = null

  const ask = async (connection: Connection, index: number, due: number): Promise<void> => {
    const answer = await connection.ask(encoded[index] as Buffer)
    latency.record(Math.max(1, Math.round((performance.now() - due) * 1000)))
    answers += 1
    if (answer.status === job.expected[index]?.status && answer.body.includes(markers[index] as Buffer)) return
    wrong += 1
    firstWrong ??= `${answer.status} ${answer.body.toString().slice(0, 300)} for ${job.requests[index]?.slice(0, 300)}`
  }
  const take = (): number | null => {
    if (next >= encoded.length && !job.repeat) return null
    const index = next % encoded.length
    next += 1
    return index
  }

  const connections = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)))
  if (job.rate === null) {
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < end) {
          const index = take()
          if (index === null) return
          await ask(connection, index, performance.now())
        }
      }),
    )
  } else {
    await atRate(job.rate, started, end, connections, async (connection, due) => {
      const index = take()
      if (index !== null) await ask(connection, index, due)
    })
  }
  const seconds = (performance.now() - started) / 1000
  for (const connection of connections) connection.close()
  const { user, system } = process.cpuUsage(cpu)
  return {
    answers,
    seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    longest: latency.max / 1000,
    wrong,
    firstWrong,
    generatorCpuSeconds: (user + system) / 1e6,
  }
}

/** Sends what is due on whichever connection is free; what finds none waits, and its waiting counts. */
async function atRate(
  rate: number,
  started: number,
  end: number,
  connections: Connection[],
  send: (connection: Connection, due: number) => Promise<void>,
): Promise<void> {
  const free = [...connections]
  const waiting: number[] = []
  const running = new Set<Promise<void>>()
  let failure: unknown
  let sent = 0
  const dispatch = () => {
    while (waiting.length > 0 && free.length > 0) {
      const connection = free.pop() as Connection
      const task = send(connection, waiting.shift() as number)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => {
          running.delete(task)
          free.push(connection)
          dispatch()
        })
      running.add(task)
    }
  }
  while (performance.now() < end) {
    for (; started + (sent * 1000) / rate <= performance.now(); sent += 1) waiting.push(started + (sent * 1000) / rate)
    dispatch()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  while (running.size > 0) await Promise.race(running)
  if (failure !== undefined) throw failure
}

type Connection = { ask(request: Buffer): Promise<Answer>; close(): void }

async function open(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let pending: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null
  const fail = (error: Error) => {
    pending?.reject(error)
    pending = null
  }
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = readAnswer(received)
    if (!answer) return
    received = Buffer.alloc(0)
    const waiting = pending
    pending = null
    waiting?.resolve(answer)
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
        socket.write(request)
      }),
    close: () => {
      socket.removeAllListeners('close')
      socket.destroy()
    },
  }
}

const endOfHead = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** Null while the answer is not whole. There is never more than one under way. */
function readAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf(endOfHead)
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    return bytes.length < end + 4 + Number(length) ? null : { status, body: bytes.subarray(end + 4) }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, body: Buffer.alloc(0) }
  return bytes.subarray(-lastChunk.length).equals(lastChunk) ? { status, body: bytes.subarray(end + 4) } : null
}

process.on('message', (job: Job) => {
  generate(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
