import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@floorpass/reliability'
import { closeAfterFile } from './close-after-file.ts'

export const recipes = fileURLToPath(new URL('../../../docs/recipes/', import.meta.url))

/** Whether this machine can run the command. If not, prints a line that names the tests that are skipped. */
export function isInstalled(name: string, command: string, ...args: string[]): boolean {
  const isPresent = spawnSync(command, args, { stdio: 'ignore' }).status === 0
  if (!isPresent) console.info(`${name} is not installed: the tests of its recipe are skipped`)
  return isPresent
}

export type RecipeProcess = { port: number; url: string; output(): string; end(): Promise<void> }

/** Runs a program that listens on a free port, and waits until it does. */
export async function startRecipe(
  launch: (port: number) => { command: string; args: string[]; environment?: Record<string, string> },
): Promise<RecipeProcess> {
  const port = await freePort()
  const { command, args, environment } = launch(port)
  const { PATH = '', HOME = '/tmp' } = process.env
  const child = spawn(command, args, { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const end = async () => {
    child.kill('SIGTERM')
    await exited
  }
  closeAfterFile(end)
  while (!(await isListening(port))) {
    if (hasEnded(child)) {
      await exited
      throw new Error(`${command} exited: ${output}`)
    }
    await delay(50)
  }
  return { port, url: `http://127.0.0.1:${port}`, output: () => output, end }
}

const hasEnded = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null || pid === undefined

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
