import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'

// The load generator, a separate process. It uses raw sockets, because an HTTP client library would need more processor time per
// answer than the bare server. ADR 033 compares it with autocannon.

export type Job = {
  port: number
  connections: number
  seconds: number
  /** Requests per second, sent when due even if earlier ones are pending. Null sends as fast as answers arrive. */
  rate: number | null
  requests: string[]
  /** The status, and a part of the headers or the body that each answer must have, in the order of `requests`. */
  expected: { status: number; body: string }[]
  /** Starts over after the last request. Otherwise the run ends there. */
  repeat: boolean
}

/** Times are in milliseconds, measured from when each request was due. `wrong` counts unexpected answers. */
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

type Answer = { status: number; message: Buffer }

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

  const send = async (connection: Connection, index: number, due: number): Promise<void> => {
    const answer = await connection.send(encoded[index] as Buffer)
    latency.record(Math.max(1, Math.round((performance.now() - due) * 1000)))
    answers += 1
    if (answer.status === job.expected[index]?.status && answer.message.includes(markers[index] as Buffer)) return
    wrong += 1
    firstWrong ??= `${answer.status} ${answer.message.toString().slice(-300)} for ${job.requests[index]?.slice(0, 300)}`
  }
  const nextIndex = (): number | null => {
    if (next >= encoded.length && !job.repeat) return null
    const index = next % encoded.length
    next += 1
    return index
  }

  const connections = await Promise.all(Array.from({ length: job.connections }, () => openConnection(job.port)))
  if (job.rate === null) {
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < end) {
          const index = nextIndex()
          if (index === null) return
          await send(connection, index, performance.now())
        }
      }),
    )
  } else {
    await sendAtRate(job.rate, started, end, connections, async (connection, due) => {
      const index = nextIndex()
      if (index !== null) await send(connection, index, due)
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

async function sendAtRate(
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

type Connection = { send(request: Buffer): Promise<Answer>; close(): void }

async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let pending: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null
  const fail = (error: Error) => {
    pending?.reject(error)
    pending = null
  }
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = parseAnswer(received)
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
    send: (request) =>
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

function parseAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf(endOfHead)
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    return bytes.length < end + 4 + Number(length) ? null : { status, message: bytes }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, message: bytes }
  return bytes.subarray(-lastChunk.length).equals(lastChunk) ? { status, message: bytes } : null
}

process.on('message', (job: Job) => {
  generate(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
