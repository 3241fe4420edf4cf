// A running service may still load chunks of earlier builds, and open pages may still load their assets.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const keptBuilds = 5

/** Removes the files that none of the last five builds wrote. `since`: when the current build began, in milliseconds. */
export function dropSuperseded(folder, since) {
  const list = join(folder, 'superseded.json')
  const known = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {}
  const remaining = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || file === list || lstatSync(file).mtimeMs >= since) continue
    const path = file.slice(folder.length)
    const builds = (known[path] ?? 0) + 1
    if (builds > keptBuilds) rmSync(file)
    else remaining[path] = builds
  }
  writeFileSync(list, JSON.stringify(remaining))
}
