import { onTestFinished } from 'vitest'
import type { TestApp } from './create-test-app.ts'

/** Runs `work` before the password of each request is compared, until the test ends. */
export function runBeforePasswordCheck({ service }: TestApp, work: () => Promise<unknown>): void {
  const { passwords } = service.deps
  const { verify } = passwords
  onTestFinished(() => {
    passwords.verify = verify
  })
  passwords.verify = async (hash, password) => {
    await work()
    return verify(hash, password)
  }
}
