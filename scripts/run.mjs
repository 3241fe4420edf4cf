import { spawn } from 'node:child_process'

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
const killAfter = 5000

/** Runs a tool and resolves to its exit code and output. The tool gets its own process group, so that Ctrl-C ends all its children.
 * The shell between npm and this script forwards no signal; a changed parent id shows that it is gone. */
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
      timer = setTimeout(() => endGroup('SIGKILL'), killAfter)
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

export function say(line) {
  process.stderr.write(`${line}\n`)
}

export function fail(what, why, todo) {
  say(`\n${what}\n  Why: ${why}\n  Do:  ${todo}\n`)
  process.exit(1)
}
