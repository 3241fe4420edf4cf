import { AppError } from '@floorpass/api'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { declaredRoutes } from '@floorpass/testing/declarations'
import { everyProvider, lockUser, routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)

const states = {
  held: async ({ userId }: SignedIn) => {
    const endsAt = new Date(Date.now() + 86_400_000)
    await app.db.hold.createMany({
      data: { userId, reason: 'change-password', startedAt: new Date(), endsAt },
      skipDuplicates: true,
    })
    await app.db.user.update({ where: { id: userId }, data: { heldUntil: endsAt } })
  },
  locked: (tab: SignedIn) => setLock(tab, 'owner'),
  panicked: (tab: SignedIn) => setLock(tab, 'panic'),
}
type State = keyof typeof states

/** A sample may have locked the account, with a key or a request to unlock. */
async function setLock({ userId }: SignedIn, lockKind: string) {
  const { lockedAt } = await app.db.user.findUniqueOrThrow({ where: { id: userId } })
  if (lockedAt) await app.db.user.update({ where: { id: userId }, data: { lockKind } })
  else await lockUser(app, userId, { lockKind })
}

/** Routes that are sensitive in part: the states in which their sample is refused. */
const partlyRefused: Record<string, State[]> = {
  // The owner takes the account back after a panic.
  '/reset-password': ['locked'],
  '/protection/undo-panic': ['locked'],
  // The sample confirms the email of a sign-up. The change of an email: change-email.test.ts.
  '/verify-email': [],
  // The sample changes the name.
  '/update-user': [],
  // The sample adds a permission.
  '/api-key/update': ['locked', 'panicked'],
  // The samples finish the setup of an authenticator.
  '/two-factor/verify': ['locked', 'panicked'],
  '/two-factor/verify-totp': ['locked', 'panicked'],
  '/two-factor/verify-backup-code': [],
  // The sample removes a member who has not accepted. Others: new-role-hold.test.ts.
  '/organization/member/remove': [],
  // The sample switches the list on.
  '/allow-list/set-enabled': [],
  '/confirmation/consume': ['locked', 'panicked'],
}

/** Routes of owners that a lock refuses. Written out, because a route that loses its declaration must turn a test red. */
const refusedByLock = [
  '/allow-list/add',
  '/api-key/create',
  '/change-email',
  '/change-password',
  '/confirmation/approve',
  '/delete-user',
  '/link-social-account',
  '/organization/delete',
  '/organization/invite-member',
  '/organization/leave',
  '/organization/member/add',
  '/organization/member/update-role',
  '/passkey/delete-passkey',
  '/passkey/verify-registration',
  '/protection/lift-hold',
  '/protection/lock',
  '/protection/set-phrase',
  '/set-password',
  '/two-factor/disable',
  '/two-factor/enable',
  '/two-factor/generate-backup-codes',
  '/two-factor/get-totp-uri',
  '/unlink-account',
]

const refusedStates = ({ path, access }: (typeof declaredRoutes)[number]): readonly State[] =>
  partlyRefused[path] ?? (access === 'administrator' || refusedByLock.includes(path) ? ['locked', 'panicked'] : [])

/** Money leaves by these, or may go elsewhere: the sample has no passkey. */
const refusedByHold = ['/confirmation/approve', '/confirmation/consume', '/allow-list/add']

test('every route that is sensitive in part has an expectation', () => {
  const inPart = declaredRoutes.filter(({ declared }) => declared.sensitive === 'in-part').map(({ path }) => path)
  expect(inPart.filter((path) => partlyRefused[path] === undefined)).toEqual([])
})

const rows = declaredRoutes.flatMap((route) =>
  (Object.keys(states) as State[]).map((state) => {
    // An administrator acts for others: a change that a thief may have made closes these routes.
    const isAdministration = route.access === 'administrator'
    const isRefused =
      refusedStates(route).includes(state) || (state === 'held' && (isAdministration || refusedByHold.includes(route.path)))
    return { route, path: route.path, state, isRefused, verb: isRefused ? 'refuses' : 'serves' }
  }),
)

const asService = { headers: { authorization: `Bearer ${serviceKey}` } }

describe.each(rows)('POST $path', ({ route: { path, refuses, access }, state, isRefused, verb }) => {
  test(`${verb} a ${state} account`, async () => {
    const tab = await app.signedIn()
    const body = (await samples[`POST ${path}`]?.(tab)) ?? {}
    await states[state](tab)
    await app.drainMail()
    const before = await app.digests()
    const answer = outcome(await tab.post(`/auth${path}`, body, access === 'service' ? asService : {}))
    const done = refuses === null ? [200, undefined] : [new AppError(refuses).status, refuses]
    const held = access === 'administrator' ? 'ADMINISTRATOR_ON_HOLD' : 'ACCOUNT_HELD'
    const refusal = state === 'held' ? [403, held] : [423, 'ACCOUNT_LOCKED']
    expect(answer).toEqual(isRefused ? refusal : done)
    await app.drainMail()
    if (isRefused) expect(await app.digests()).toEqual(before)
  })
})
