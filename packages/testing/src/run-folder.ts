import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In the folder of a run: the service is built. */
export const builtMarker = 'built'

const namePattern = /^floorpass-(\d+)-/

// The path of a socket has at most 104 bytes on macOS, whose own temporary folder takes half of them.
const findParent = (): string => (process.platform === 'darwin' ? '/tmp' : tmpdir())

/** Removes the folders of runs that were killed. */
export function removeLeftFolders(): void {
  const parent = findParent()
  for (const name of readdirSync(parent)) {
    const [, pid] = namePattern.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) removeIfOwn(join(parent, name))
  }
}

export function openRunFolder(): { remove(): void } {
  removeLeftFolders()
  const parent = findParent()
  const folder = mkdtempSync(join(parent, `floorpass-${process.pid}-`))
  // A PostgreSQL server of the tests runs as another user.
  chmodSync(folder, 0o711)
  const earlier = process.env.TMPDIR
  process.env.TMPDIR = folder
  const remove = () => {
    process.off('exit', remove)
    if (earlier === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = earlier
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.on('exit', remove)
  return { remove }
}

/** The run of another user may have left it. */
function removeIfOwn(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.()) rmSync(folder, { recursive: true, force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
