import { apiKeys } from './benchmarks/api-keys.ts'
import { getSessionCold } from './benchmarks/cold.ts'
import { compareWithBetterAuth } from './benchmarks/compare.ts'
import { events } from './benchmarks/events.ts'
import { getSessionWarm } from './benchmarks/get-session.ts'
import { inProcess } from './benchmarks/in-process.ts'
import { loginPage } from './benchmarks/login.ts'
import { memory } from './benchmarks/memory.ts'
import { passkeySignInSpeed } from './benchmarks/passkey-sign-in.ts'
import { revocation } from './benchmarks/revocation.ts'
import { scale } from './benchmarks/scale.ts'
import { signInSpeed } from './benchmarks/sign-in.ts'
import { starts } from './benchmarks/start.ts'
import { storm } from './benchmarks/storm.ts'
import { workers } from './benchmarks/workers.ts'
import type { Bench, Findings } from './measure.ts'
import { listOrganizations, listSessions, signUp, updateUser } from './requests.ts'

type Benchmarks = Record<string, (bench: Bench) => Promise<Findings>>

export const benchmarks: Benchmarks = {
  'get-session': getSessionWarm,
  cold: getSessionCold,
  'api-keys': apiKeys,
  'in-process': inProcess,
  'sign-in': signInSpeed,
  'passkey-sign-in': passkeySignInSpeed,
  storm,
  'sign-up': compareWithBetterAuth('sign-up/email', (side, port) => signUp(side, port, 2_000), 1.5, {
    repeat: false,
    seconds: 4,
    connections: 64,
  }),
  'list-sessions': compareWithBetterAuth('list-sessions', listSessions, 1.5),
  'organization-list': compareWithBetterAuth('organization/list', listOrganizations, 1.5),
  'update-user': compareWithBetterAuth('update-user', (side, port) => updateUser(side, port), 1.5),
  revocation,
  events,
  workers,
  login: loginPage,
  start: starts,
  memory,
  scale,
}
