import { loadConfig, readEnvironment } from '@floorpass/env'

/** The number of processes that serve. An invalid configuration counts as 1: that process then reports the error. */
export function workerCount(): number {
  try {
    return loadConfig(readEnvironment()).webConcurrency
  } catch {
    return 1
  }
}
