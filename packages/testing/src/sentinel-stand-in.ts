import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { closeAfterFile } from './close-after-file.ts'

/** A sentinel that names one primary, and that a test makes slow or lets announce a switch. */
export type SentinelStandIn = {
  url: string
  holdAnswers(): void
  /** Resolves when the clients have left, which they do to ask again. */
  announceSwitch(): Promise<void>
  releaseAnswers(): void
  waiting(): number
}

const bulk = (...texts: string[]) => `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`

export async function startSentinelStandIn(primaryPort: number): Promise<SentinelStandIn> {
  const subscribers = new Set<Socket>()
  let held: (() => void)[] | null = null
  const answer = (socket: Socket, command: string) => {
    if (command.includes('get-master-addr-by-name')) {
      const send = () => void socket.write(bulk('127.0.0.1', String(primaryPort)))
      if (held) held.push(send)
      else send()
    } else if (command.includes('subscribe')) {
      subscribers.add(socket)
      socket.write('*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n')
    } else socket.write(command.includes('sentinels') ? '*0\r\n' : '+OK\r\n')
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (chunk) => {
      // Each command of a chunk is an array whose parts contain no asterisk at the start of a line.
      for (const command of chunk
        .toString()
        .split(/(?:^|\r\n)\*/)
        .filter(Boolean))
        answer(socket, command.toLowerCase())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeAfterFile(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAnswers: () => {
      held = []
    },
    announceSwitch: async () => {
      const followed = [...subscribers].map((socket) => once(socket, 'close'))
      for (const socket of subscribers) socket.write(bulk('message', '+switch-master', 'floorpass'))
      await Promise.all(followed)
    },
    releaseAnswers: () => {
      for (const send of held ?? []) send()
      held = null
    },
    waiting: () => held?.length ?? 0,
  }
}
