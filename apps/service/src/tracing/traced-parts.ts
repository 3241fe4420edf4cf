import type { PasswordHasher, Tracing } from '@floorpass/api'
import type { Database, Queryable, Sql } from '@floorpass/db'
import type { MailTransport } from '@floorpass/email'

export const tracedDatabase = (db: Database, tracing: Tracing): Database =>
  db.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        tracing.span(`db ${model ? `${model}.` : ''}${operation}`, { 'db.system.name': 'postgresql' }, () => query(args)),
    },
  }) as unknown as Database

export const tracedSql = (sql: Sql, tracing: Tracing): Sql => {
  const attributes = { 'db.system.name': 'postgresql' }
  const traced = (target: Queryable): Queryable => ({
    $queryRaw: (statement, ...values) =>
      tracing.span(`db ${describeStatement(statement)}`, attributes, () => target.$queryRaw(statement, ...values)),
  })
  return {
    ...traced(sql),
    transaction: (work) => tracing.span('db transaction', attributes, () => sql.transaction((tx) => work(traced(tx)))),
  }
}

const describeStatement = ([beginning = '']: TemplateStringsArray): string =>
  `${/\w+/.exec(beginning)?.[0]} ${/\b(?:FROM|INTO|UPDATE) (\w+)/.exec(beginning)?.[1]}`

export const tracedPasswords = (passwords: PasswordHasher, tracing: Tracing): PasswordHasher => ({
  ...passwords,
  hash: (password) => tracing.span('password hash', {}, () => passwords.hash(password)),
  verify: (hash, password) => tracing.span('password verify', {}, () => passwords.verify(hash, password)),
})

export const tracedTransport = (transport: MailTransport, tracing: Tracing): MailTransport => ({
  ...transport,
  send: (mail, id) => tracing.span('mail send', {}, () => transport.send(mail, id)),
})
