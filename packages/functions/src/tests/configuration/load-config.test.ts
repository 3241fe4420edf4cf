import { ConfigError, describeLimits, loadConfig, loadDatabaseConfig, type Problem } from '@floorpass/env'
import { describe, expect, it } from 'vitest'

const GOOD_SECRET = 'aB3xR9tQz7LmW2pY5vK8cN4dF6gH1jS0'
const deployed = {
  BASE_URL: 'https://accounts.example.com',
  AUTH_SECRET: GOOD_SECRET,
  SMTP_URL: 'smtps://mailer:hunter2@smtp.example.com:465',
}

function refusal(source: Record<string, string>): ConfigError {
  try {
    loadConfig(source)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('the configuration was accepted')
}

const refused = (source: Record<string, string>) => refusal(source).problems.map((problem: Problem) => problem.variable)

describe('local mode', () => {
  it('needs no variable', () => {
    const config = loadConfig({}, '/srv/floorpass')
    expect(config).toMatchObject({
      mode: 'local',
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://localhost:3000',
      appName: 'Floorpass',
      supportUrl: null,
      brand: { logo: null, favicon: null, accent: null, termsUrl: null, privacyUrl: null, mailFooter: [] },
      authSecrets: null,
      dataDir: '/srv/floorpass/.data',
      database: { kind: 'embedded', directory: '/srv/floorpass/.data/database' },
      mail: { kind: 'outbox', directory: '/srv/floorpass/.data/outbox', from: 'no-reply@localhost' },
      migrateOnStart: true,
      redis: null,
      trustProxy: [],
      cookie: { secure: false, sameSite: 'lax' },
      social: { google: null, github: null },
      rateLimit: true,
      webConcurrency: 1,
      ciTestSecret: null,
      monitor: null,
      logLevel: 'info',
    })
    expect(describeLimits(config)).toEqual([])
  })

  it('leaves migrations to the command line on request', () => {
    expect(loadConfig({ MIGRATE_ON_START: 'false' }).migrateOnStart).toBe(false)
    expect(refused({ MIGRATE_ON_START: 'no' })).toEqual(['MIGRATE_ON_START'])
  })

  it('needs only valid settings of the database to migrate it', () => {
    const others = { BASE_URL: 'https://accounts.example.com', AUTH_SECRET: 'short', PORT: 'eighty' }
    const url = 'postgresql://owner@db.example.com/floorpass'
    expect(loadDatabaseConfig({ ...others, DATABASE_URL: url }, '/srv')).toEqual({
      dataDir: '/srv/.data',
      database: { kind: 'postgres', url },
    })
    expect(() => loadDatabaseConfig({ ...others, DATABASE_URL: 'mysql://host/db' }, '/srv')).toThrow(/one setting is wrong/)
  })

  it('treats an empty or blank variable as unset', () => {
    expect(loadConfig({ PORT: '', BASE_URL: '  ', AUTH_SECRET: '', CI_TEST_SECRET: '' })).toEqual(loadConfig({}))
  })

  it('trusts every loopback name on the port of the base URL', () => {
    expect(loadConfig({ PORT: '4000' }).trustedOrigins).toEqual([
      'http://localhost:4000',
      'http://127.0.0.1:4000',
      'http://[::1]:4000',
    ])
  })

  it('adds the base URL to the configured trusted origins', () => {
    expect(loadConfig({ TRUSTED_ORIGINS: 'http://localhost:5173/' }).trustedOrigins).toEqual([
      'http://localhost:3000',
      'http://localhost:5173',
    ])
  })

  it('allows turning rate limits off', () => {
    expect(loadConfig({ RATE_LIMIT: 'off' }).rateLimit).toBe(false)
  })

  it('accepts port 0 only with a base URL', () => {
    expect(loadConfig({ PORT: '0', BASE_URL: 'http://127.0.0.1:4100' }).port).toBe(0)
    expect(refused({ PORT: '0' })).toEqual(['BASE_URL'])
  })

  it.each(['0.0.0.0', '::', '192.168.1.5', 'accounts.internal'])('refuses to listen on %s with a loopback base URL', (HOST) => {
    expect(refused({ HOST })).toEqual(['BASE_URL'])
  })

  it.each(['127.0.0.1', '127.0.0.53', 'localhost', '::1'])('listens on %s', (HOST) => {
    expect(loadConfig({ HOST }).host).toBe(HOST)
  })
})

describe('deployed mode', () => {
  it('lists every problem at once', () => {
    expect(
      refused({
        BASE_URL: 'http://accounts.example.com',
        RATE_LIMIT: 'off',
        PORT: 'abc',
        LOG_LEVEL: 'loud',
        WEB_CONCURRENCY: '4',
      }),
    ).toEqual(['PORT', 'LOG_LEVEL', 'AUTH_SECRET', 'BASE_URL', 'SMTP_URL', 'RATE_LIMIT', 'WEB_CONCURRENCY'])
  })

  it('lists missing variables even when the base URL is invalid', () => {
    expect(refused({ BASE_URL: 'accounts.example.com/app' })).toEqual(['BASE_URL', 'AUTH_SECRET', 'SMTP_URL'])
    expect(refused({ BASE_URL: 'localhost:3000' })).toEqual(['BASE_URL'])
  })

  it('applies to a host that only resembles this machine', () => {
    for (const host of ['127.0.0.1.example.com', 'localhost.example.com', 'notlocalhost']) {
      expect(refused({ BASE_URL: `http://${host}` })).toEqual(['AUTH_SECRET', 'BASE_URL', 'SMTP_URL'])
    }
  })

  it('starts with a secret, an https base URL and a mail server', () => {
    expect(loadConfig({ ...deployed, HOST: '0.0.0.0' })).toMatchObject({
      mode: 'deployed',
      baseUrl: 'https://accounts.example.com',
      trustedOrigins: ['https://accounts.example.com'],
      cookie: { secure: true, sameSite: 'lax' },
      mail: { kind: 'smtp', from: 'no-reply@accounts.example.com' },
    })
  })

  it('warns about the embedded database and about unset proxies', () => {
    expect(describeLimits(loadConfig(deployed, '/srv'))).toEqual([
      expect.stringMatching(/one process.*Back up \/srv\/\.data\/database/),
      expect.stringContaining('TRUST_PROXY'),
    ])
    const clustered = {
      ...deployed,
      DATABASE_URL: 'postgresql://db/floorpass',
      REDIS_URL: 'redis://cache',
      TRUST_PROXY: 'private',
    }
    expect(describeLimits(loadConfig(clustered))).toEqual([])
  })

  it.each(['GOOGLE_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL'])(
    'refuses a %s over plain http, which the network can forge',
    (name) => {
      expect(refused({ ...deployed, [name]: 'http://accounts.example.com' })).toEqual([name])
      expect(loadConfig({ ...deployed, [name]: 'http://127.0.0.1:4000' }).mode).toBe('deployed')
    },
  )

  it('refuses a trusted origin over plain http, which the network can forge', () => {
    expect(refused({ ...deployed, TRUSTED_ORIGINS: 'http://app.example.com' })).toEqual(['TRUSTED_ORIGINS'])
  })

  it.each([
    'short',
    'a'.repeat(40),
    'changeme'.repeat(4),
    'qW3rT7yU'.repeat(4),
    'please-changeme-before-you-go-live!',
    '0123456789abcdef0123456789abcdef',
    `${GOOD_SECRET},short`,
    ',',
  ])('refuses the secret %s in both modes, also as the key of a service', (secret) => {
    for (const variable of ['AUTH_SECRET', 'SERVICE_KEYS']) {
      expect(refused({ ...deployed, [variable]: secret })).toEqual([variable])
      expect(refused({ [variable]: secret })).toEqual([variable])
    }
  })

  it('refuses the key of a service that no header can carry', () => {
    for (const character of [' ', '\u00e9', '\u20ac'])
      expect(refused({ SERVICE_KEYS: `${GOOD_SECRET}${character}${GOOD_SECRET}` })).toEqual(['SERVICE_KEYS'])
  })

  it('reads the keys of several services; none by default', () => {
    const other = GOOD_SECRET.split('').reverse().join('')
    expect(loadConfig({ SERVICE_KEYS: `${GOOD_SECRET}, ${other}` }).serviceKeys).toEqual([GOOD_SECRET, other])
    expect(loadConfig({}).serviceKeys).toEqual([])
  })

  it('counts the length of a secret in bytes', () => {
    expect(loadConfig({ AUTH_SECRET: 'éàùçîôûëïöüâêñõã' }).authSecrets).toHaveLength(1)
  })

  it('rotates secrets: signs with the first and verifies with all', () => {
    const older = GOOD_SECRET.split('').reverse().join('')
    expect(loadConfig({ ...deployed, AUTH_SECRET: `${GOOD_SECRET}, ${older}` }).authSecrets).toEqual([GOOD_SECRET, older])
  })
})

describe('replicas and sentinels', () => {
  const sentinels = 'redis://:hunter2@a:26379,redis://:hunter2@b'

  it('reads them, and none by default', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgresql://db/floorpass',
      DATABASE_REPLICA_URL: 'postgresql://standby/floorpass',
      REDIS_URL: 'redis://floorpass',
      REDIS_SENTINELS: sentinels,
    })
    expect(config.replicaUrl).toBe('postgresql://standby/floorpass')
    expect(config.redis).toEqual({ url: 'redis://floorpass', sentinels: sentinels.split(',') })
    expect(loadConfig({ REDIS_URL: 'redis://cache' })).toMatchObject({ replicaUrl: null, redis: { sentinels: [] } })
  })

  it.each(['redis://cache/', 'redis://cache/3', 'redis://cache:6380/3?family=6'])('accepts %s', (url) => {
    expect(loadConfig({ REDIS_URL: url }).redis?.url).toBe(url)
  })

  it.each([
    'redis://a%:b@cache',
    'redis://a:b%zz@cache',
    'redis://cache/abc',
    'redis://cache/1/2',
    'redis://cache/?lazyConnect=true',
  ])('refuses %s, which Redis could not use', (url) => {
    expect(refused({ REDIS_URL: url })).toEqual(['REDIS_URL'])
  })

  it.each(['postgresql://a,b/floorpass', 'postgresql://a/floorpass?target_session_attrs=read-write'])(
    'refuses %s as a replica, which it would never use',
    (url) => {
      expect(refused({ DATABASE_URL: 'postgresql://db/floorpass', DATABASE_REPLICA_URL: url })).toEqual(['DATABASE_REPLICA_URL'])
    },
  )

  it('refuses a replica or sentinels alone, and sentinels with different credentials', () => {
    expect(refused({ DATABASE_REPLICA_URL: 'postgresql://standby/floorpass' })).toEqual(['DATABASE_URL'])
    expect(refused({ REDIS_SENTINELS: sentinels })).toEqual(['REDIS_URL'])
    for (const other of ['redis://:hunter3@b', 'redis://b', 'rediss://:hunter2@b'])
      expect(refused({ REDIS_URL: 'redis://floorpass', REDIS_SENTINELS: `redis://:hunter2@a,${other}` })).toEqual([
        'REDIS_SENTINELS',
      ])
  })
})

describe('the error message', () => {
  it('has one line per problem with what to do, and never contains a value', () => {
    const secrets = ['hunter2', 'tooshort', 'sk_live_1']
    const error = refusal({
      BASE_URL: `https://admin:hunter2@accounts.example.com`,
      AUTH_SECRET: 'tooshort',
      DATABASE_URL: 'mysql://root:hunter2@db/floorpass',
      REDIS_URL: 'hunter2',
      SMTP_URL: 'http://mailer:hunter2@smtp.example.com',
      PORT: 'sk_live_1',
      TRUSTED_ORIGINS: 'https://u:hunter2@app.example.com',
      LOG_LEVEL: 'sk_live_1',
      GOOGLE_ISSUER: 'https://u:hunter2@accounts.google.com',
      EXCHANGES: 'kraken=https://u:hunter2@api.kraken.com',
    })
    expect(error.message.split('\n')).toHaveLength(error.problems.length + 1)
    expect(error.problems).toHaveLength(10)
    expect(error.message).toContain('  AUTH_SECRET (entry 1) is shorter than 32 bytes. Set the output of: node -p ')
    for (const secret of secrets) expect(error.message).not.toContain(secret)
    for (const { what, fix } of error.problems) expect([what, fix]).not.toContain('')
  })
})

describe('each variable', () => {
  it.each([
    'https://a.example.com/app',
    'https://a.example.com?x=1',
    'https://a.example.com?',
    'https://a.example.com#top',
    'https://user@a.example.com',
    'ftp://a.example.com',
    'https://*.example.com',
    'javascript:alert(1)',
    'https://',
  ])('BASE_URL refuses %s', (BASE_URL) => {
    expect(refused({ ...deployed, BASE_URL })).toContain('BASE_URL')
  })

  it('BASE_URL drops its trailing slash and default port', () => {
    expect(loadConfig({ ...deployed, BASE_URL: 'https://Accounts.Example.com:443/' }).baseUrl).toBe(
      'https://accounts.example.com',
    )
  })

  it.each([
    'http://api.example.com',
    'https://user@api.example.com',
    'https://api.example.com?x=1',
    'urn:',
    'urn:a b',
    'api.example.com',
    `https://api.example.com/${'x'.repeat(240)}`,
  ])('TOKEN_AUDIENCES refuses %s', (TOKEN_AUDIENCES) => {
    expect(refused({ ...deployed, TOKEN_AUDIENCES })).toContain('TOKEN_AUDIENCES')
  })

  it('TOKEN_AUDIENCES keeps each resource verbatim, after BASE_URL', () => {
    const TOKEN_AUDIENCES = 'https://api.example.com/, urn:risk, http://localhost:4000'
    expect(loadConfig({ ...deployed, TOKEN_AUDIENCES }).tokenAudiences).toEqual([
      deployed.BASE_URL,
      'https://api.example.com/',
      'urn:risk',
      'http://localhost:4000',
    ])
  })

  it.each([
    ['off', []],
    ['loopback', ['127.0.0.0/8', '::1/128']],
    ['10.0.0.0/8, 203.0.113.9', ['10.0.0.0/8', '203.0.113.9/32']],
    ['2001:db8::/32', ['2001:db8::/32']],
  ])('TRUST_PROXY reads %s', (TRUST_PROXY, ranges) => {
    expect(loadConfig({ TRUST_PROXY }).trustProxy).toEqual(ranges)
  })

  it.each([
    'true',
    '1',
    '*',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/00',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'constructor',
    'proxy.example.com',
  ])('TRUST_PROXY refuses %s', (TRUST_PROXY) => {
    expect(refused({ TRUST_PROXY })).toEqual(['TRUST_PROXY'])
  })

  it.each(['*', 'null', 'https://*.example.com', 'https://app.example.com/path', 'app.example.com'])(
    'TRUSTED_ORIGINS refuses %s',
    (TRUSTED_ORIGINS) => {
      expect(refused({ TRUSTED_ORIGINS })).toEqual(['TRUSTED_ORIGINS'])
    },
  )

  it('CONFIRMATION_RULES reads a level for each type, with or without an amount', () => {
    const rulesOf = (CONFIRMATION_RULES: string) => loadConfig({ CONFIRMATION_RULES }).confirmationRules
    expect(rulesOf('withdrawal<=100 EUR=otp, withdrawal=passkey+hold,urn:x/order=none')).toEqual([
      { type: 'withdrawal', most: { amount: '100', currency: 'EUR' }, level: 'otp' },
      { type: 'withdrawal', most: null, level: 'passkey+hold' },
      { type: 'urn:x/order', most: null, level: 'none' },
    ])
    expect(rulesOf('a<=0.000000000000000001 BTC=passkey')[0]?.most).toEqual({ amount: '0.000000000000000001', currency: 'BTC' })
    expect(loadConfig({}).confirmationRules).toEqual([])
  })

  it.each([
    'withdrawal',
    'withdrawal=',
    'withdrawal=password',
    'withdrawal=passkey+hold+otp',
    '=otp',
    'a b=otp',
    'withdrawal<100 EUR=otp',
    'withdrawal<=100=otp',
    'withdrawal<=100 eur=otp',
    'withdrawal<=1e3 EUR=otp',
    'withdrawal<=-1 EUR=otp',
    'withdrawal<=01 EUR=otp',
    'withdrawal<=.5 EUR=otp',
    'withdrawal<=1. EUR=otp',
    'withdrawal<=0.0000000000000000001 EUR=otp',
    'withdrawal=otp,withdrawal=passkey',
    'withdrawal<=1 EUR=otp,withdrawal<=1 EUR=none',
    ',',
  ])('CONFIRMATION_RULES refuses %s', (CONFIRMATION_RULES) => {
    expect(refused({ CONFIRMATION_RULES })).toEqual(['CONFIRMATION_RULES'])
  })

  it('EXCHANGES reads ids with optional base URLs', () => {
    expect(loadConfig({ EXCHANGES: 'binance,kraken=http://127.0.0.1:9001/' }).exchanges).toEqual([
      { id: 'binance', baseUrl: null },
      { id: 'kraken', baseUrl: 'http://127.0.0.1:9001' },
    ])
    for (const EXCHANGES of ['a,a', 'Big', 'kraken=', 'kraken=ftp://x', '../etc'])
      expect(refused({ EXCHANGES })).toEqual(['EXCHANGES'])
  })

  it.each(['CI_TEST_SECRET', 'MONITOR_API_KEY', 'MONITOR_ACCOUNT_ID'])('%s must fit in an HTTP header', (name) => {
    for (const value of ['sécret', 'two\nlines', 'a\u0000b', '\u{1f511}']) expect(refused({ [name]: value })).toEqual([name])
    expect(() => loadConfig({ [name]: 'with spaces, and "quotes"' })).not.toThrow()
  })

  it('warns at start about a short CI_TEST_SECRET in deployed mode', () => {
    const short = 'CI_TEST_SECRET is short enough'
    expect(describeLimits(loadConfig({ ...deployed, CI_TEST_SECRET: 'abc' })).join()).toContain(short)
    expect(describeLimits(loadConfig({ ...deployed, CI_TEST_SECRET: 'abcdefghijklmnop' })).join()).not.toContain(short)
    expect(describeLimits(loadConfig({ CI_TEST_SECRET: 'abc' }))).toEqual([])
  })

  it('a social provider stays off without a warning until both its secrets are set', () => {
    expect(loadConfig({ GOOGLE_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' }).social).toEqual({ google: null, github: null })
    const both = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', GOOGLE_ISSUER: 'http://127.0.0.1:9000/oidc/' }
    expect(loadConfig(both).social.google).toEqual({
      clientId: 'id',
      clientSecret: 'secret',
      issuer: 'http://127.0.0.1:9000/oidc/',
    })
  })

  it('COOKIE_SAMESITE=none needs https', () => {
    expect(refused({ COOKIE_SAMESITE: 'none' })).toEqual(['COOKIE_SAMESITE'])
    expect(loadConfig({ ...deployed, COOKIE_SAMESITE: 'none' }).cookie).toMatchObject({ secure: true, sameSite: 'none' })
  })

  it.each([
    ['https://accounts.example.com', 'example.com'],
    ['https://accounts.example.com', 'Accounts.Example.com'],
    ['https://accounts.eu.example.co.uk:8443', 'example.co.uk'],
    ['https://accounts.floor.localhost', 'floor.localhost'],
    ['https://me.github.io', 'me.github.io'],
    ['https://accounts.xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ])('at %s COOKIE_DOMAIN may be %s', (BASE_URL, COOKIE_DOMAIN) => {
    expect(loadConfig({ ...deployed, BASE_URL, COOKIE_DOMAIN }).cookie.domain).toBe(COOKIE_DOMAIN.toLowerCase())
  })

  it.each([
    ['https://accounts.example.com', 'example.org'],
    ['https://accounts.example.com', 'ple.com'],
    ['https://accounts.example.com', 'a.accounts.example.com'],
    ['https://accounts.example.com', 'com'],
    ['https://accounts.example.com', '.example.com'],
    ['https://accounts.example.com', 'example.com.'],
    ['https://accounts.example.com', '*.example.com'],
    ['https://accounts.example.com', 'https://example.com'],
    ['https://accounts.example.com', 'example.com:443'],
    ['https://accounts.example.com', 'example.com; Path=/x'],
    ['https://accounts.example.com', 'example.com, app.example.com'],
    ['https://accounts.example.co.uk', 'co.uk'],
    ['https://me.github.io', 'github.io'],
    ['https://me.herokuapp.com', 'herokuapp.com'],
    ['https://192.0.2.1', '192.0.2.1'],
    ['https://192.0.2.1', '2.1'],
    ['https://[2001:db8::1]', '[2001:db8::1]'],
    ['https://accounts.localhost', 'localhost'],
    ['https://accounts', 'accounts'],
  ])('at %s COOKIE_DOMAIN refuses %s', (BASE_URL, COOKIE_DOMAIN) => {
    expect(refused({ ...deployed, BASE_URL, COOKIE_DOMAIN })).toEqual(['COOKIE_DOMAIN'])
  })

  it.each([
    ['https://accounts.example.com', undefined, 'accounts.example.com'],
    ['https://accounts.example.com', 'Example.com', 'example.com'],
    ['http://localhost:3000', undefined, 'localhost'],
  ])('at %s passkeys with PASSKEY_RP_ID %s belong to %s', (BASE_URL, PASSKEY_RP_ID, rpId) => {
    const base = BASE_URL.startsWith('https') ? deployed : {}
    const config = loadConfig({ ...base, BASE_URL, ...(PASSKEY_RP_ID && { PASSKEY_RP_ID }) })
    expect(config.passkeys).toEqual({ rpId, origins: config.trustedOrigins })
  })

  it.each(['com', 'other.example', 'ample.com', 'co.uk', 'www.accounts.example.com', '127.0.0.1', 'https://example.com'])(
    'PASSKEY_RP_ID refuses %s',
    (PASSKEY_RP_ID) => {
      expect(refused({ ...deployed, BASE_URL: 'https://accounts.example.com', PASSKEY_RP_ID })).toEqual(['PASSKEY_RP_ID'])
    },
  )

  it.each(['http://127.0.0.1:3000', 'http://[::1]:3000'])('there are no passkeys at %s', (BASE_URL) => {
    expect(loadConfig({ BASE_URL }).passkeys).toBeNull()
  })

  it('COOKIE_DOMAIN needs https, in local mode too', () => {
    expect(refused({ BASE_URL: 'http://accounts.floor.localhost:3000', COOKIE_DOMAIN: 'floor.localhost' })).toEqual([
      'COOKIE_DOMAIN',
    ])
    expect(refused({ COOKIE_DOMAIN: 'floor.localhost' })).toEqual(['COOKIE_DOMAIN'])
  })

  it('says at the start what COOKIE_DOMAIN costs', () => {
    const cost = 'Every host under example.com receives the session cookie and can act for its user'
    expect(describeLimits(loadConfig({ ...deployed, COOKIE_DOMAIN: 'example.com' })).join()).toContain(cost)
    expect(describeLimits(loadConfig(deployed)).join()).not.toContain('receives the session cookie')
  })

  it('keeps webhooks out of the private network unless the operator allows it, and says so at the start', () => {
    expect(loadConfig(deployed).webhookPrivateTargets).toBe(false)
    expect(describeLimits(loadConfig(deployed)).join()).not.toContain('WEBHOOK_PRIVATE_TARGETS')
    const open = loadConfig({ ...deployed, WEBHOOK_PRIVATE_TARGETS: 'on' })
    expect(open.webhookPrivateTargets).toBe(true)
    expect(describeLimits(open).join()).toContain('WEBHOOK_PRIVATE_TARGETS is on')
    expect(loadConfig({ WEBHOOK_PRIVATE_TARGETS: 'off' }).webhookPrivateTargets).toBe(false)
    for (const value of ['true', 'yes', '1'])
      expect(refused({ WEBHOOK_PRIVATE_TARGETS: value })).toEqual(['WEBHOOK_PRIVATE_TARGETS'])
  })

  it('WEB_CONCURRENCY above one needs DATABASE_URL', () => {
    expect(refused({ WEB_CONCURRENCY: '2' })).toEqual(['WEB_CONCURRENCY'])
    expect(loadConfig({ WEB_CONCURRENCY: '2', DATABASE_URL: 'postgres://localhost/floorpass' }).webConcurrency).toBe(2)
  })

  it.each(['a@example.com, b@example.com', 'no-at-sign', 'Eve\r\nBcc: x@example.com <a@example.com>'])(
    'MAIL_FROM refuses %j',
    (MAIL_FROM) => {
      expect(refused({ MAIL_FROM })).toEqual(['MAIL_FROM'])
    },
  )

  it('MONITOR_API_KEY and MONITOR_ACCOUNT_ID must be set together', () => {
    expect(loadConfig({ MONITOR_API_KEY: 'key' }).monitor).toBeNull()
    expect(loadConfig({ MONITOR_API_KEY: 'key', MONITOR_ACCOUNT_ID: 'id' }).monitor).toMatchObject({
      apiKey: 'key',
      accountId: 'id',
    })
  })
})

describe('SUPPORT_URL', () => {
  it.each(['https://example.com/help', 'mailto:help@example.com'])('takes %s', (SUPPORT_URL) => {
    expect(loadConfig({ SUPPORT_URL })).toMatchObject({ supportUrl: SUPPORT_URL })
  })

  it.each([
    'http://example.com/help',
    'javascript:alert(1)',
    'help@example.com',
    'mailto:',
    'mailto:a b@example.com',
    'https://example.com/help\nCall 0800 1234',
    'https://example.com/a b',
    'https://example.com/\u202egnp.exe',
  ])('refuses %j', (SUPPORT_URL) => {
    expect(refused({ SUPPORT_URL })).toEqual(['SUPPORT_URL'])
  })
})
