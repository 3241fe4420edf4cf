// Loaded into a service by --import. Shifts Date by the milliseconds in a file, or stops it.
import { readFileSync } from 'node:fs'

const RealDate = Date
const file = process.env.STEPPING_CLOCK_FILE ?? ''
let state: { offset: number; frozenAt: number | null } = { offset: 0, frozenAt: null }

const now = () => state.frozenAt ?? RealDate.now() + state.offset
const readState = () => {
  const text = readFileSync(file, 'utf8')
  // The writer truncates the file before it writes.
  if (text !== '') state = JSON.parse(text) as typeof state
}
readState()
setInterval(readState, 50).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
