import { spawn } from 'node:child_process'

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
const patience = 5000

/**
 * Runs a tool quietly and resolves to its exit code and everything it printed.
 * The tool gets its own process group, so that one Ctrl-C ends it with all its children, whoever received the signal:
 * even the shell between npm and this script, which passes none on and simply disappears.
 */
export function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stoppedBy
    let timer
    const parent = process.ppid
    const watch = setInterval(() => process.ppid !== parent && stop('SIGHUP'), 500)

    const endGroup = (signal) => {
      try {
        process.kill(-child.pid, signal)
      } catch {
        // The group is already gone.
      }
    }
    const stop = (signal) => {
      if (stoppedBy) return
      stoppedBy = signal
      endGroup('SIGTERM')
      timer = setTimeout(() => endGroup('SIGKILL'), patience)
    }
    const finish = (result) => {
      clearTimeout(timer)
      clearInterval(watch)
      for (const signal of Object.keys(exitCodes)) process.off(signal, stop)
      if (stoppedBy) {
        endGroup('SIGKILL')
        process.exit(exitCodes[stoppedBy])
      }
      resolve(result)
    }

    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
    for (const signal of Object.keys(exitCodes)) process.on(signal, stop)
    child.once('error', (error) => finish({ code: 1, output: `${output}${error.message}\n` }))
    child.once('close', (code) => finish({ code: code ?? 1, output }))
  })
}

/** One line on standard error: what is going on. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** Ends the process: what went wrong, why, and what to do about it. */
export function fail(what, why, todo) {
  say(`\n${what}\n  Why: ${why}\n  Do:  ${todo}\n`)
  process.exit(1)
}
