import { randomUUID } from 'node:crypto'
import { clockIn } from '@floorpass/testing/service-clock'
import type { FullConfig } from '@playwright/test'
import { type Cookie, signInEarlier } from './scene.ts'

const variable = 'RETURNING_VISITOR'

/** Signs a user in an hour in the past. Runs before all tests, since they share the service's clock. */
export default async function signInReturningVisitor({ projects, metadata }: FullConfig): Promise<void> {
  const clock = clockIn(String(metadata.clock))
  await clock.setBack(60)
  try {
    const cookies = await signInEarlier(String(projects[0]?.use.baseURL), `ines-${randomUUID()}@example.test`, 60 * 60)
    process.env[variable] = JSON.stringify(cookies)
  } finally {
    await clock.setBack(0)
  }
}

export const returningVisitor = (): Cookie[] => JSON.parse(process.env[variable] ?? '[]') as Cookie[]
