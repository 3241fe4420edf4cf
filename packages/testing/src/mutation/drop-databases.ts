/** Drops the PostgreSQL databases of this run. Global setup drops them too, unless a lane was killed. */
export async function dropDatabases(runId: string): Promise<void> {
  const adminUrl = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL
  if (!adminUrl) return
  const { asAdmin } = await import('../test-templates.ts')
  await asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname LIKE $1', [
      `floorpass\\_test\\_%\\_${runId}\\_%`,
    ])
    for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`)
  })
}
