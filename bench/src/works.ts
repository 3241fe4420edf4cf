import type { Bench, Findings } from './measure.ts'
import { listOrganizations, listSessions, signUp, updateUser } from './requests.ts'
import { getSessionCold } from './works/cold.ts'
import { getSessionWarm } from './works/get-session.ts'
import { inProcess } from './works/in-process.ts'
import { loginPage } from './works/login.ts'
import { memory } from './works/memory.ts'
import { revocation } from './works/revocation.ts'
import { scale } from './works/scale.ts'
import { signInWork } from './works/sign-in.ts'
import { starts } from './works/start.ts'
import { storm } from './works/storm.ts'
import { versus } from './works/versus.ts'
import { workers } from './works/workers.ts'

type Works = Record<string, (bench: Bench) => Promise<Findings>>

/** Every measurement by its name for `--only`. */
export const works: Works = {
  'get-session': getSessionWarm,
  cold: getSessionCold,
  'in-process': inProcess,
  'sign-in': signInWork,
  storm,
  'sign-up': versus('sign-up/email', (side, port) => signUp(side, port, 2_000), 1.5, {
    repeat: false,
    seconds: 4,
    connections: 64,
  }),
  'list-sessions': versus('list-sessions', listSessions, 1.5),
  'organization-list': versus('organization/list', listOrganizations, 1.5),
  'update-user': versus('update-user', updateUser, 1.5),
  revocation,
  workers,
  login: loginPage,
  start: starts,
  memory,
  scale,
}
