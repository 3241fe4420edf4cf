// A running service may still load files of earlier builds: parts of its bundle, and the assets of pages that browsers have open.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const keptBuilds = 5

/** Removes the files of `folder` that none of the last five builds wrote. Call it after a build that began at `since` (milliseconds). */
export function dropSuperseded(folder, since) {
  const list = join(folder, 'superseded.json')
  const known = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {}
  const left = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || file === list || lstatSync(file).mtimeMs >= since) continue
    const path = file.slice(folder.length)
    const builds = (known[path] ?? 0) + 1
    if (builds > keptBuilds) rmSync(file)
    else left[path] = builds
  }
  writeFileSync(list, JSON.stringify(left))
}
