import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../../../db/prisma/migrations/', import.meta.url))
/** The rule holds for later migrations: an applied one cannot be edited, not even for a comment. */
const lastBeforeRule = '20261125134858_provider_pictures'

/** Exceptions of migrations that are applied already. */
const exceptions: Record<string, string> = {
  'ALTER TABLE "audit_events" RENAME TO "audit_events_before_months"':
    'a table with the same columns takes the name in the same transaction (ADR 045)',
}

/** Statements that the previous version may not survive, or that block a large table for long (docs/database-roles.md). */
const contractions: [RegExp, string][] = [
  [/\bDROP\s+(COLUMN|TABLE|TYPE|DOMAIN|FUNCTION|TRIGGER|VIEW)\b/i, 'drops what the previous version may use'],
  [/^(?!.*\bALTER\s+INDEX\b).*\bRENAME\s+(?:\S+\s+){0,2}TO\b/is, 'renames what the previous version may use'],
  [/\bSET\s+NOT\s+NULL\b/i, 'refuses rows of the previous version'],
  [/\bADD\s+COLUMN\s+(?!.*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/is, 'refuses rows of the previous version'],
  [/\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b/i, 'changes a type, and may rewrite the table'],
  [
    /\bADD\s+(CONSTRAINT\s+\S+\s+)?(CHECK|UNIQUE|EXCLUDE|FOREIGN)\b(?!.*\bNOT\s+VALID\b)/is,
    'may refuse rows of the previous version',
  ],
  [/\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY|IF\s+NOT\s+EXISTS)/i, 'builds an index that no one could build beforehand'],
]

/** Lists the statements that break the rule and have no line `-- contract: <reason>` above them. */
const findContractions = (sql: string): string[] => {
  const created = new Set<string | undefined>()
  const readable = sql
    .replace(/--.*$/gm, (comment) => comment.replaceAll(';', ','))
    .replace(/(CREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s.*?)\$(\w*)\$.*?\$\2\$/gis, '$1')
    .replace(/\$(\w*)\$.*?\$\1\$/gs, (block) => block.replaceAll(';', ' '))
  return readable.split(';').flatMap((part) => {
    if (/^-- contract: \S+ \S+ .+/m.test(part)) return []
    const statement = part.replace(/--.*$/gm, '').trim()
    created.add(/^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/i.exec(statement)?.[1])
    // A table that the migration created before has no rows and no readers yet.
    const table = /^(?:ALTER\s+TABLE|CREATE\s+(?:UNIQUE\s+)?INDEX.*?\bON)\s+(?:ONLY\s+)?"?(\w+)"?/is.exec(statement)?.[1]
    if (table && created.has(table)) return []
    if (Object.hasOwn(exceptions, statement)) return []
    return contractions.filter(([shape]) => shape.test(statement)).map(([, why]) => `${statement.slice(0, 80)}: ${why}`)
  })
}

describe('a migration', () => {
  test('only expands, or gives its reason', async () => {
    const names = (await readdir(folder)).filter((name) => /^\d/.test(name) && name > lastBeforeRule).sort()
    for (const name of names) expect(findContractions(await readFile(`${folder}${name}/migration.sql`, 'utf8')), name).toEqual([])
  })

  test.each([
    'ALTER TABLE "users" DROP COLUMN "image";',
    'ALTER TABLE "users" RENAME COLUMN "image" TO "picture";',
    'ALTER TABLE "users" RENAME TO "people";',
    'ALTER TABLE "users" ALTER COLUMN "image" SET NOT NULL;',
    'ALTER TABLE "users" ADD COLUMN "plan" TEXT NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "image" TYPE BYTEA USING image::bytea;',
    'ALTER TABLE "users" ALTER COLUMN "image" SET DATA TYPE BYTEA;',
    'ALTER TABLE "users" ADD CONSTRAINT "image_check" CHECK (image <> $$$$);',
    'DROP TABLE "users";',
    'ALTER TABLE "users" RENAME TO "people";\nCREATE TABLE "users" ("id" TEXT);',
    'DROP TYPE "risk_level";',
    'CREATE INDEX "users_name_idx" ON "users"("name");',
    `DO $$ BEGIN EXECUTE 'DROP TABLE users'; END $$;`,
    '-- contract:\nDROP TABLE "users";',
    '-- contract: nothing reads it\nDROP TABLE "members";\nDROP TABLE "users";',
  ])('may not: %s', (sql) => {
    expect(findContractions(sql)).toHaveLength(1)
  })

  test.each([
    'ALTER TABLE "users" ADD COLUMN "plan" TEXT;',
    `ALTER TABLE "users" ADD COLUMN "plan" TEXT NOT NULL DEFAULT 'free';`,
    'CREATE INDEX IF NOT EXISTS "users_name_idx" ON "users"("name");',
    'CREATE TABLE "plans" ("id" TEXT NOT NULL);\nCREATE UNIQUE INDEX "plans_id_key" ON "plans"("id");',
    '-- Drop nothing: RENAME is only a word here.\nALTER TABLE "users" ADD COLUMN "plan" TEXT;',
    'ALTER INDEX "users_pkey" RENAME TO "people_pkey";',
    `DO $$ BEGIN RAISE EXCEPTION 'delete or rename it'; END $$;`,
    'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE plans; END $$;',
    '-- contract: no version reads it since 2.3.0\nDROP TABLE "plans";',
  ])('may: %s', (sql) => {
    expect(findContractions(sql)).toEqual([])
  })
})
