import { findSqlState } from './failures.ts'
import type { TransactionRunner } from './transaction-runner.ts'

type RoleRow = { role: string; schema: string | null; mayCreate: boolean | null; owner: string | null; isOwner: boolean | null }

export const findMissingRight = async (
  runInTransaction: TransactionRunner,
  error: unknown,
): Promise<{ role: string; missing: string } | null> => {
  const message = error instanceof Error ? error.message : ''
  // PostgreSQL also reports a read-only file system as missing privileges.
  if (findSqlState(error) !== '42501' || /\bcould not /.test(message)) return null
  const [row] = await runInTransaction((connection) =>
    connection.query<RoleRow>(
      `SELECT current_user AS role, current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
         pg_get_userbyid(relowner) AS owner, pg_has_role(current_user, relowner, 'USAGE') AS "isOwner"
       FROM (SELECT) AS one LEFT JOIN pg_class ON relname = '_prisma_migrations' AND relnamespace = current_schema()::regnamespace`,
    ),
  )
  if (!row) return null
  const missing =
    row.isOwner === false
      ? `it does not own the tables, ${row.owner} does`
      : row.mayCreate === false
        ? `it lacks CREATE on schema ${row.schema}`
        : `PostgreSQL says "${message}"`
  return { role: row.role, missing }
}
