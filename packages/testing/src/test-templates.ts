import { type Database, openDatabase } from '@floorpass/db'

/** The templates that global-setup.ts prepares once for the run: one empty, one migrated. */
export type TestTemplates =
  | { kind: 'embedded'; empty: string; migrated: string }
  | { kind: 'postgres'; adminUrl: string; run: string; empty: string; migrated: string }

declare module 'vitest' {
  interface ProvidedContext {
    testTemplates: TestTemplates
  }
}

export const asAdmin = async (adminUrl: string, work: (db: Database) => Promise<unknown>): Promise<void> => {
  const { db, close } = await openDatabase({ kind: 'postgres', url: adminUrl, poolSize: 1 })
  await work(db).finally(close)
}

export const urlOf = (adminUrl: string, databaseName: string): string => {
  const url = new URL(adminUrl)
  url.pathname = `/${databaseName}`
  return url.href
}
