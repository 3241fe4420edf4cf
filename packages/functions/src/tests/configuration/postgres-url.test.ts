import { loadConfig } from '@floorpass/env'
import { PostgresUrlError, parsePostgresUrl } from '@floorpass/env/postgres-url'
import { describe, expect, it } from 'vitest'

describe('DATABASE_URL', () => {
  it.each([
    ['postgresql://db/x', [['db', 5432]], 'any'],
    ['postgres://ada:pw@db:6432/x', [['db', 6432]], 'any'],
    [
      'postgresql://ada:p%40w@a:1,b,[::1]:3/x',
      [
        ['a', 1],
        ['b', 5432],
        ['::1', 3],
      ],
      'read-write',
    ],
    [
      'postgresql://a,b/x?target_session_attrs=primary',
      [
        ['a', 5432],
        ['b', 5432],
      ],
      'primary',
    ],
    ['postgresql://db/x?target_session_attrs=read-write', [['db', 5432]], 'read-write'],
    ['postgresql:///x?host=/run/postgresql', [['/run/postgresql', 5432]], 'any'],
    ['postgresql://%2Frun%2Fpostgresql/x', [['/run/postgresql', 5432]], 'any'],
    [
      'postgresql:///x?host=a,b&port=1,2',
      [
        ['a', 1],
        ['b', 2],
      ],
      'read-write',
    ],
    [
      'postgresql:///x?host=a,b&port=7',
      [
        ['a', 7],
        ['b', 7],
      ],
      'read-write',
    ],
  ])('%s names its hosts as in libpq', (url, hosts, target) => {
    expect(parsePostgresUrl(url)).toMatchObject({ hosts: hosts.map(([host, port]) => ({ host, port })), target })
    expect(loadConfig({ DATABASE_URL: url }).database).toEqual({ kind: 'postgres', url })
  })

  it('gives the driver one host and the parameters that it knows', () => {
    const url = 'postgresql://ada:p%40w@a:1,b:2/x?target_session_attrs=primary&connect_timeout=4&options=-c%20geqo%3Doff'
    const { driverUrl, connectTimeoutSeconds } = parsePostgresUrl(url)
    expect([driverUrl, connectTimeoutSeconds]).toEqual(['postgresql://ada:p%40w@localhost/x?options=-c+geqo%3Doff', 4])
  })

  it.each([
    ['mysql://ada:hunter2@db/x', /starts with/],
    ['postgresql:///x', /has no host/],
    ['postgresql://db/x?sslmode=disable&sslmode=require', /sslmode more than once/],
    ['postgresql://ada:hunter2@a b/x', /not a host name/],
    ['postgresql://ada:hunter2@db:99999/x', /a port that is not/],
    ['postgresql://ada:hunter2@db:5432x/x', /a port that is not/],
    ['postgresql:///x?host=a,b&port=1,2,3', /one port, or as many as hosts/],
    ['postgresql://ada:hunter2%@db/x', /percent-encoded/],
    ['postgresql://ada:p@hunter2/w@db/x', /percent-encoded/],
    ['postgresql://ada:hunter2@a,b/x?target_session_attrs=any', /read-write or primary/],
    ['postgresql://ada:hunter2@db/x?target_session_attrs=standby', /read-write or primary/],
    ['postgresql://ada:hunter2@db/x?connect_timeout=soon', /whole number of seconds/],
  ])('refuses %s, says why and never quotes it', (url, reason) => {
    expect(() => parsePostgresUrl(url)).toThrow(PostgresUrlError)
    expect(() => loadConfig({ DATABASE_URL: url })).toThrow(reason)
    expect(() => loadConfig({ DATABASE_URL: url })).not.toThrow(/hunter2/)
  })
})
