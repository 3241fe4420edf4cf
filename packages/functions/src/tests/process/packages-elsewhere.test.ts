import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createBrowser } from '@floorpass/testing/browser'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const audience = 'https://orders.example.test'

/** A customer's machine has its own Node and npm, and none of this workspace's tools. */
const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
const run = promisify(execFile)
const inFolder =
  (cwd: string) =>
  async (command: string, ...args: string[]) => {
    const { stdout } = await run(command, args, { cwd, env: { HOME: process.env.HOME, PATH: path.join(delimiter) } }).catch(
      (error) => Promise.reject(new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`)),
    )
    return stdout.trim()
  }

const program = `
import { type AppRouter, createFloorpassClient, describeError, type FloorpassAuth } from '@floorpass/client'
import { type Caller, createVerifier, refusalResponse, withCaller } from '@floorpass/server'

type Level = 'conservative' | 'moderate' | 'aggressive'
export type Fields = FloorpassAuth['options']['user']['additionalFields']
export const type: Fields['tradingEnabled']['type'] = 'boolean'
export type Router = AppRouter

export async function live(issuer: string, cookie: string, audience: string) {
  const asBrowser: typeof fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, cookie, origin: issuer } })
  const floorpass = createFloorpassClient({ baseUrl: issuer, fetch: asBrowser })
  const session = await floorpass.trpc.sessions.get.query()
  const level: Level | undefined = session?.user.riskLevel
  const createdAt: string | undefined = session?.user.createdAt
  await floorpass.updateProfile({ name: 'Zoë' })
  // @ts-expect-error: not a risk level.
  const refused = await floorpass.updateProfile({ riskLevel: 'reckless' }).catch(describeError)

  const answer = await asBrowser(issuer + '/auth/token?audience=' + encodeURIComponent(audience))
  const { token } = (await answer.json()) as { token: string }
  const verifier = createVerifier({ issuer, audience })
  const bearer = { headers: new Headers({ authorization: 'Bearer ' + token }) }
  const checks = [
    await verifier.verifyRequest({ headers: { cookie } }),
    await verifier.verifyRequest(bearer),
    await verifier.verifyBearer(bearer),
    await verifier.verifyToken(token, { scope: 'order:read' }),
  ]
  const callers: (Caller | number)[] = checks.map((check) => (check.ok ? check.caller : refusalResponse(check.refusal).status))
  const handler = withCaller(verifier.verifyRequest, { acr: 'aal2' }, (_request, caller) => Response.json(caller))
  const weak = await handler(new Request(audience, { headers: { cookie } }), {})

  await floorpass.signOut()
  const after = await verifier.verifyRequest({ headers: { cookie } })
  return { userId: session?.user.id, level, createdAt, refused, callers, weak: weak.headers.get('www-authenticate'), after }
}
`

/** Signs up at the service, and returns the session cookie. */
async function signUpAndIn(origin: string, dataDir: string) {
  const browser = createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, origin)
  const person = { name: 'Ada', email: 'ada@example.test', password: 'plum kettle orbit' }
  await browser.post('/auth/sign-up/email', person)
  const token = await mailedToken(dataDir, person.email)
  await browser.post('/auth/verify-email', { token })
  await browser.post('/auth/sign-in/email', person)
  return [...browser.cookies].map((pair) => pair.join('=')).join('; ')
}

test('@floorpass/client and @floorpass/server install, type-check and work in an empty project', async () => {
  const [customer, dataDir] = [await temporaryFolder(), await temporaryFolder()]
  const inCustomer = inFolder(customer)
  const database = await databaseEnvironment()
  const [server] = await Promise.all([
    startServer({ ...database, DATA_DIR: dataDir, RATE_LIMIT: 'off', TOKEN_AUDIENCES: audience }),
    run(process.execPath, ['scripts/build-packages.mjs', customer], { cwd: root }),
  ])
  const tarballs = (await readdir(customer)).filter((file) => file.endsWith('.tgz')).sort()
  expect(tarballs).toEqual([expect.stringMatching(/^floorpass-client-/), expect.stringMatching(/^floorpass-server-/)])

  await writeFile(join(customer, 'package.json'), '{ "name": "customer", "private": true, "type": "module" }')
  await writeFile(join(customer, 'customer.ts'), program)
  await inCustomer('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs.map((file) => `./${file}`))

  // The compiler that npm installed beside @trpc, and the workspace's older one. Both also check the declarations of libraries.
  for (const compiler of [join(customer, 'node_modules/.bin/tsc'), join(root, 'node_modules/typescript/bin/tsc')]) {
    await inCustomer('node', compiler, '--strict', '--module', 'nodenext', 'customer.ts')
  }
  for (const name of ['client', 'server']) {
    const folder = join(customer, 'node_modules/@floorpass', name)
    const files = await readdir(folder)
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8')
      expect([file, /workspace:|catalog:|@floorpass\/(api|db|email)|from '[^']+\.ts'|from 'node:/.exec(text)]).toEqual([
        file,
        null,
      ])
    }
  }

  const origin = `http://localhost:${server.port}`
  const cookie = await signUpAndIn(origin, dataDir)
  const script = `import('./customer.js').then(({ live }) => live(...process.argv.slice(1))).then((found) => console.log(JSON.stringify(found)))`
  const result = JSON.parse(await inCustomer('node', '-e', script, origin, cookie, audience))
  const { userId } = result
  expect(result).toMatchObject({
    level: 'conservative',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    refused: { code: 'VALIDATION_ERROR', status: 400 },
    callers: [{ userId }, { userId }, { userId }, { userId, acr: 'aal1', scopes: expect.arrayContaining(['order:read']) }],
    weak: 'Bearer error="insufficient_user_authentication", acr_values="aal2"',
    after: { ok: false, refusal: { status: 401, code: 'UNAUTHORIZED' } },
  })
  await server.end('SIGTERM')
})
