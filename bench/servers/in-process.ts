import { createCaller, createContext } from '@floorpass/api'
import { openService } from '@floorpass/service'
import { emailAt, sessionsPerUser, sessionToken } from '../src/data.ts'

// Reads the sessions of 1,000 callers as server code does: one context and one call per request.

const calls = 50_000
const service = await openService()
const client = {
  ip: '127.0.0.1',
  userAgent: 'bench',
  locale: 'en' as const,
  bearer: null,
  serviceKey: null,
  apiKey: null,
  signedRequest: null,
}
const tokens = Array.from({ length: 1_000 }, (_, user) => sessionToken(user * sessionsPerUser))
let wrong = 0

const ask = async (user: number): Promise<void> => {
  const cookies = { get: () => tokens[user], all: () => [], set: () => {} }
  const answer = await createCaller(createContext(service.deps, client, cookies)).sessions.get()
  if (answer?.user.email !== emailAt(user)) wrong += 1
}

for (let count = 0; count < 20_000; count += 1) await ask(count % tokens.length)
const cpu = process.cpuUsage()
const started = performance.now()
for (let count = 0; count < calls; count += 1) await ask(count % tokens.length)
const perCall = ((performance.now() - started) * 1000) / calls
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ perCall, cpuPerCall: (user + system) / calls, wrong }))
await service.stop()
process.exit(0)
