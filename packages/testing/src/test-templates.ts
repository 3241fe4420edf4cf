import pg from 'pg'

/** The templates that global-setup.ts prepares once for the run: one empty, one migrated. `dataDir` is the migrated one as files. */
export type TestTemplates =
  | { kind: 'embedded'; empty: string; migrated: string; dataDir: string }
  | { kind: 'postgres'; adminUrl: string; run: string; empty: string; migrated: string }

declare module 'vitest' {
  interface ProvidedContext {
    testTemplates: TestTemplates
  }
}

/** Without the time limits of the product: on a busy machine, CREATE and DROP DATABASE wait long for a checkpoint. */
export const asAdmin = async (adminUrl: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> => {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  await work(admin).finally(() => admin.end())
}

export const urlOf = (adminUrl: string, databaseName: string): string => {
  const url = new URL(adminUrl)
  url.pathname = `/${databaseName}`
  return url.href
}
