import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The Docker commands that a rollout uses. `docker run` starts a server that is ready at once.
// A broken image starts a container that keeps restarting.
const state = process.env.DOCKER_STATE ?? ''
const [command = '', ...args] = process.argv.slice(2)
appendFileSync(join(state, 'calls'), `${[command, ...args].join(' ')}\n`)
const optionValue = (option: string) => args[args.indexOf(option) + 1] ?? ''
const fileOf = (name: string) => join(state, `${name}.pid`)
const name =
  command === 'run' ? optionValue('--name') : command === 'ps' ? optionValue('--filter').slice('name=^'.length, -1) : args.at(-1)
const file = fileOf(name ?? '')
const restarts = join(state, 'restarts')

function end(): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

if (command === 'run') {
  const port = args.find((arg) => arg.startsWith('PORT='))?.slice('PORT='.length)
  const isBroken = args.at(-1)?.includes('broken')
  const server = isBroken
    ? 'setInterval(() => {}, 1000)'
    : `require('node:http').createServer((_, response) => response.end('ready')).listen(${port}, '127.0.0.1')`
  const child = spawn(process.execPath, ['-e', server], { detached: true, stdio: 'ignore' })
  child.unref()
  writeFileSync(file, String(child.pid))
  writeFileSync(restarts, isBroken ? '1' : '0')
} else if (command === 'ps') process.stdout.write(existsSync(file) ? 'id\n' : '')
else if (command === 'inspect') {
  const isAsked = optionValue('--format').startsWith('{{if .RestartCount}}false')
  process.stdout.write(`${!isAsked || readFileSync(restarts, 'utf8') === '0'}\n`)
} else if (command === 'stop') end()
else if (command === 'rm') {
  end()
  rmSync(file)
}
