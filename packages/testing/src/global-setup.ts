import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { builtMarker, openRunFolder } from './run-folder.ts'
import { asAdmin, type TestTemplates, urlOf } from './test-templates.ts'

// A database name contains the start time of its run, so that a run drops what a killed run left.
const prefix = 'floorpass_test_'
const staleAfterMs = 60 * 60 * 1000

export const setup = async (project: TestProject) => {
  const adminUrl = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL
  const folder = openRunFolder()
  const { templates, teardown } = adminUrl ? await preparePostgres(adminUrl) : await prepareEmbedded()
  project.provide('testTemplates', templates)
  // In watch mode the sources may have changed.
  project.onTestsRerun(() => rm(join(tmpdir(), builtMarker), { force: true }))
  return async () => {
    await teardown()
    folder.remove()
  }
}

type Prepared = { templates: TestTemplates; teardown: () => Promise<void> }

const prepareEmbedded = async (): Promise<Prepared> => {
  const folder = await mkdtemp(join(tmpdir(), 'templates-'))
  const dataDir = join(folder, 'data')
  const templates = {
    kind: 'embedded',
    empty: join(folder, 'empty.tar'),
    migrated: join(folder, 'migrated.tar'),
    dataDir,
  } as const

  const { migrate, dump, close } = await openDatabase({ kind: 'embedded', directory: join(dataDir, 'database') })
  const writeDump = async (file: string) => {
    if (dump) await writeFile(file, Buffer.from(await (await dump()).arrayBuffer()))
  }
  await writeDump(templates.empty)
  await migrate()
  await writeDump(templates.migrated)
  await close()

  return { templates, teardown: async () => {} }
}

const preparePostgres = async (adminUrl: string): Promise<Prepared> => {
  const run = `${prefix}${Date.now()}_${process.env.TEST_RUN_ID ? `${process.env.TEST_RUN_ID}_` : ''}${randomBytes(3).toString('hex')}`
  const templates = { kind: 'postgres', adminUrl, run, empty: 'template0', migrated: `${run}_template` } as const

  await asAdmin(adminUrl, async (admin) => {
    await dropWhere(admin, (name) => Number(name.slice(prefix.length).split('_')[0]) < Date.now() - staleAfterMs)
    await admin.query(`CREATE DATABASE "${templates.migrated}" TEMPLATE template0`)
  })
  const { migrate, close } = await openDatabase({ kind: 'postgres', url: urlOf(adminUrl, templates.migrated) })
  await migrate().finally(close)

  return { templates, teardown: () => asAdmin(adminUrl, (admin) => dropWhere(admin, (name) => name.startsWith(run))) }
}

const dropWhere = async (admin: pg.Client, isDoomed: (name: string) => boolean) => {
  const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    prefix,
  ])
  for (const { datname } of rows.filter((row) => isDoomed(row.datname))) {
    await admin.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`)
  }
}
