import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const endings = new Set<() => void>()

/** Registers what ends a process or removes a folder, and returns what does it before the run ends.
 * It is synchronous, so that a scenario starts nothing meanwhile. */
export function onRunEnd(end: () => void): () => void {
  endings.add(end)
  return () => {
    if (endings.delete(end)) end()
  }
}

export function endRun(): void {
  for (const end of [...endings].reverse()) {
    endings.delete(end)
    try {
      end()
    } catch (error) {
      console.error(`  not cleaned up: ${(error as Error).message}`)
    }
  }
}

/** Creates an empty folder that the run removes. */
export function createFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `floorpass-${name}-`))
  onRunEnd(() => removeFolder(folder))
  return folder
}

// A killed process may still write for a moment.
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
