import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { runCommand, Surroundings } from '@floorpass/admin'
import type { Log } from '@floorpass/api'
import { z } from 'zod'
import { connectPrivateSocket, servePrivateSocket } from './private-socket.ts'
import { explainStartFailure } from './start-failure.ts'

// The embedded database belongs to one process, so the running service runs the operator's commands. Each line of the socket is a message.
const socketPath = (directory: string) => join(directory, 'admin.sock')

type CommandResult = Awaited<ReturnType<typeof runCommand>>
type OperatorTerminal = Pick<Surroundings, 'user' | 'say' | 'ask' | 'write'>

const commandLine = z.object({ argv: z.array(z.string()), user: z.string(), canAsk: z.boolean() })
type CommandLine = z.infer<typeof commandLine>
type Reply = { text: string } | { failure: string }
type ServiceMessage = { say: string } | { ask: string } | { write: { path: string; text: string } } | { result: CommandResult }

/** Runs the commands that arrive until `close`. Take the database lock first. */
export const serveCommands = (
  directory: string,
  opened: Pick<Surroundings, 'open' | 'openDatabase'>,
  log: Log,
): Promise<{ close(): Promise<void> }> =>
  servePrivateSocket(socketPath(directory), {
    serve: (client) =>
      serveCommand(client, opened).catch((err: unknown) => {
        log.error({ err }, 'command of an operator failed')
        client.destroy()
      }),
    log,
    unavailable: 'admin socket unavailable: stop the service to run a command',
  })

async function serveCommand(client: Socket, opened: Pick<Surroundings, 'open' | 'openDatabase'>): Promise<void> {
  const receive = readMessages(client)
  const send = (message: ServiceMessage) => writeMessage(client, message)
  const line = await receive()
  if (line === null) return void client.destroy()
  const { argv, user, canAsk } = commandLine.parse(line)
  const request = async (message: ServiceMessage): Promise<string> => {
    send(message)
    const reply = await receive<Reply>()
    if (!reply) throw new Error('the terminal was closed')
    if ('failure' in reply) throw new Error(reply.failure)
    return reply.text
  }
  const { runCommand } = await import('@floorpass/admin')
  const result = await runCommand(argv, {
    ...opened,
    databaseKind: 'embedded',
    explainOpenFailure: (error) => explainStartFailure(error, 'embedded'),
    user,
    say: (text) => send({ say: text }),
    ask: canAsk ? (question) => request({ ask: question }) : null,
    write: async (path, text) => void (await request({ write: { path, text } })),
  })
  send({ result })
  client.end()
}

/** Runs a command in the service that has the embedded database in `directory` open. Null when none runs. */
export async function requestCommand(
  directory: string,
  argv: string[],
  { user, say, ask, write }: OperatorTerminal,
): Promise<CommandResult | null> {
  const service = await connectPrivateSocket(socketPath(directory))
  if (!service) return null
  service.on('error', () => {})
  const receive = readMessages(service)
  const closing = new AbortController()
  const reply = (answer: Promise<string>) =>
    answer.then(
      (text) => writeMessage(service, { text }),
      (error: Error) => writeMessage(service, { failure: error.message }),
    )
  writeMessage(service, { argv, user, canAsk: ask !== null })
  for (let message = await receive<ServiceMessage>(); message; message = await receive<ServiceMessage>()) {
    if ('result' in message) return message.result
    if ('say' in message) say(message.say)
    // Keep reading: a service that stops ends the question.
    else if ('ask' in message) void reply(ask?.(message.ask, closing.signal) ?? Promise.resolve(''))
    else void reply(write(message.write.path, message.write.text).then(() => ''))
  }
  closing.abort()
  say(
    '\nThe command was interrupted and may have taken effect.\n  Why: The service stopped.\n  Do:  Check what was done, then run the command again.\n',
  )
  return { stdout: '', exitCode: 1 }
}

const writeMessage = (socket: Socket, message: CommandLine | Reply | ServiceMessage): void =>
  void socket.write(`${JSON.stringify(message)}\n`)

function readMessages(socket: Socket): <Received>() => Promise<Received | null> {
  const lines = readLines(socket)
  return async <Received>() => {
    const line = await lines.next().catch(() => null)
    return !line || line.done ? null : (JSON.parse(line.value) as Received)
  }
}

/** `readline` would also split at U+2028, which JSON allows inside a text, and go on after a destroyed socket. */
async function* readLines(socket: Socket): AsyncGenerator<string, undefined> {
  let parts: string[] = []
  for await (const chunk of socket.setEncoding('utf8')) {
    const [end, ...lines] = String(chunk).split('\n')
    parts.push(end ?? '')
    if (lines.length === 0) continue
    yield parts.join('')
    parts = [lines.pop() ?? '']
    yield* lines
  }
}
