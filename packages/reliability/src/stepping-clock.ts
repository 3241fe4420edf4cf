// Loaded into a service by --import. Shifts Date by the milliseconds in a file.
import { readFileSync } from 'node:fs'

const RealDate = Date
const file = process.env.STEPPING_CLOCK_FILE ?? ''
let offset = 0

const now = () => RealDate.now() + offset
const readOffset = () => {
  offset = Number(readFileSync(file, 'utf8')) || 0
}
readOffset()
setInterval(readOffset, 50).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
