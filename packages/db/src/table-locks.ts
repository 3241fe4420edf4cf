/** A table that a migration locks until it commits, and what waits meanwhile. */
export type TableLock = { table: string; blocks: 'writes' | 'reads and writes' }

const name = String.raw`(?:IF (?:NOT )?EXISTS )?(?:ONLY )?(?:"?\w+"?\.)?"?(\w+)"?`
const pattern = (text: string) => new RegExp(text.replaceAll('NAME', name), 'is')

// Weaker locks first: a statement may match several patterns, and the strongest counts.
const patterns: [RegExp, TableLock['blocks']][] = [
  [pattern('REFERENCES NAME'), 'writes'],
  [pattern('^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).*? ON NAME'), 'writes'],
  [pattern('^CREATE (?:OR REPLACE )?TRIGGER .*? ON NAME'), 'writes'],
  [pattern('^ALTER TABLE NAME (?:ENABLE|DISABLE|ADD CONSTRAINT \\S+ FOREIGN)'), 'writes'],
  [
    pattern('^ALTER TABLE NAME (?!ENABLE|DISABLE|VALIDATE|ATTACH|SET \\(|RESET \\(|ADD CONSTRAINT \\S+ FOREIGN)'),
    'reads and writes',
  ],
  [pattern('^DROP TRIGGER .*? ON NAME'), 'reads and writes'],
  [pattern('^(?:DROP TABLE|DROP INDEX|TRUNCATE(?: TABLE)?) NAME'), 'reads and writes'],
]
const lockTable = /^LOCK (?:TABLE )?(.+) IN (SHARE|SHARE ROW EXCLUSIVE|EXCLUSIVE|ACCESS EXCLUSIVE) MODE$/i

/** Reads from the SQL of a migration which tables it locks. An index stands for its table. Sees no statement inside a function. */
export const findTableLocks = (sql: string): TableLock[] => {
  const locks = new Map<string, TableLock['blocks']>()
  const created = new Set<string>()
  const add = (table: string | undefined, blocks: TableLock['blocks']) => {
    if (table && !created.has(table) && locks.get(table) !== 'reads and writes') locks.set(table, blocks)
  }
  for (const statement of splitStatements(sql)) {
    const [, tables = '', mode = ''] = lockTable.exec(statement) ?? []
    for (const table of tables.split(/[\s",]+/)) add(table, /^ACCESS/i.test(mode) ? 'reads and writes' : 'writes')
    for (const [shape, blocks] of patterns) add(shape.exec(statement)?.[1], blocks)
    // A new table has no readers. One that takes the place of a renamed table has.
    const table = pattern('^CREATE TABLE NAME').exec(statement)?.[1]
    if (table && !locks.has(table)) created.add(table)
  }
  return [...locks].map(([table, blocks]) => ({ table, blocks }))
}

const splitStatements = (sql: string): string[] =>
  sql
    .replace(/--.*$/gm, '')
    .replace(/(CREATE (?:OR REPLACE )?FUNCTION .*?)\$(\w*)\$.*?\$\2\$/gis, '$1')
    .split(/;|\$\w*\$/)
    .map((statement) =>
      statement
        .replace(/\s+/g, ' ')
        .replace(/^.*?\bEXECUTE (?:format\()?'/i, '')
        .trim(),
    )
