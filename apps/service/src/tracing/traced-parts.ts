import type { PasswordHasher, Tracing } from '@floorpass/api'
import type { Database, Queryable, Sql } from '@floorpass/db'
import type { MailTransport } from '@floorpass/email'

/** The same database, whose every operation is a span: model and operation, never a value. */
export const tracedDatabase = (db: Database, tracing: Tracing): Database =>
  // The extension only wraps: what it returns has the methods of the client, under a type of its own.
  db.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        tracing.span(`db ${model ? `${model}.` : ''}${operation}`, { 'db.system.name': 'postgresql' }, () => query(args)),
    },
  }) as unknown as Database

/** The same for statements without Prisma, which are the code's own words: what each does, and to which table. */
export const tracedSql = (sql: Sql, tracing: Tracing): Sql => {
  const attributes = { 'db.system.name': 'postgresql' }
  const traced = (to: Queryable): Queryable => ({
    $queryRaw: (statement, ...values) =>
      tracing.span(`db ${nameOf(statement)}`, attributes, () => to.$queryRaw(statement, ...values)),
  })
  return {
    ...traced(sql),
    transaction: (work) => tracing.span('db transaction', attributes, () => sql.transaction((tx) => work(traced(tx)))),
  }
}

const nameOf = ([beginning = '']: TemplateStringsArray): string =>
  `${/\w+/.exec(beginning)?.[0]} ${/\b(?:FROM|INTO|UPDATE) (\w+)/.exec(beginning)?.[1]}`

/** The same hasher; its spans hold the wait in the queue, too. */
export const tracedPasswords = (passwords: PasswordHasher, tracing: Tracing): PasswordHasher => ({
  ...passwords,
  hash: (password) => tracing.span('password hash', {}, () => passwords.hash(password)),
  verify: (hash, password) => tracing.span('password verify', {}, () => passwords.verify(hash, password)),
})

export const tracedTransport = (transport: MailTransport, tracing: Tracing): MailTransport => ({
  ...transport,
  send: (mail, id) => tracing.span('mail send', {}, () => transport.send(mail, id)),
})
