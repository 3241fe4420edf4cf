import { DatabaseSync } from 'node:sqlite'
import type { ImportableUser } from './better-auth-user.ts'

export type PlannedUsers = {
  findEmail(id: string): string | undefined
  hasEmail(email: string): boolean
  hasIdentity(account: { providerId: string; accountId: string }): boolean
  add(user: ImportableUser): void
  close(): void
}

/** Keeps planned users in a temporary file that SQLite has unlinked already, so memory stays constant and no address outlives the process. */
export function createPlannedUsers(): PlannedUsers {
  const database = new DatabaseSync('')
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -32768;
    CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE) WITHOUT ROWID;
    CREATE TABLE identities (provider_id TEXT, account_id TEXT, PRIMARY KEY (provider_id, account_id)) WITHOUT ROWID;
    BEGIN`)
  const emailOf = database.prepare('SELECT email FROM users WHERE id = ?')
  const withEmail = database.prepare('SELECT 1 FROM users WHERE email = ?')
  const withIdentity = database.prepare('SELECT 1 FROM identities WHERE provider_id = ? AND account_id = ?')
  const insertUser = database.prepare('INSERT INTO users VALUES (?, ?)')
  const insertIdentity = database.prepare('INSERT INTO identities VALUES (?, ?)')
  return {
    findEmail: (id) => emailOf.get(id)?.email as string | undefined,
    hasEmail: (email) => withEmail.get(email) !== undefined,
    hasIdentity: ({ providerId, accountId }) => withIdentity.get(providerId, accountId) !== undefined,
    add({ id, email, accounts }) {
      insertUser.run(id, email)
      for (const { providerId, accountId } of accounts) insertIdentity.run(providerId, accountId)
    },
    close: () => database.close(),
  }
}
