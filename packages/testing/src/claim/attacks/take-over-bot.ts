import { signRequest } from '../../api-keys.ts'
import { declaredRoutes } from '../../declarations.ts'
import type { Attack } from '../row.ts'
import { askForWithdrawal, type Owner, order, pay, type Scene, type Started, signInAsOwner, withdraw } from '../scene.ts'
import { createTab, expectOk } from '../tab.ts'

export const takeOverBot = (scene: Scene, owner: Owner): Attack => ({
  name: 'A bot server with a bearer key is taken over',
  tried: 'withdraw, confirm, use a permission that the key lacks, call every route that changes an account',
  async run(row) {
    await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
    const bot = createTab(scene.target)
    const headers = { authorization: `Bearer ${owner.bearerKey.key}` }
    const waiting = await askForWithdrawal(scene, bot, order, headers)
    const { id = '' } = waiting.body as Partial<Started>
    row.held('the key got a confirmation', waiting.code === 'WAITS_FOR_OWNER', '202 WAITS_FOR_OWNER')
    row.refused('pay what the key asked for', await pay(scene, { id }, ''), 'RECEIPT_INVALID')
    const denied = await bot.get('/auth/verify?scope=order:cancel', { headers })
    row.refused('a permission that the key lacks', denied, 'INSUFFICIENT_SCOPE')
    for (const { path, declared } of declaredRoutes.filter(({ declared: { access } }) => access !== 'public')) {
      const what = `POST ${path} (${declared.access})`
      row.refused(`${what} with the key`, await bot.post(`/auth${path}`, {}, { headers }), 'UNAUTHORIZED')
      row.refused(
        `${what} with the key in x-api-key`,
        await bot.post(`/auth${path}`, {}, { headers: { 'x-api-key': owner.bearerKey.key } }),
        'UNAUTHORIZED',
      )
    }
    row.refused(
      'the id of the signing key as a bearer',
      await askForWithdrawal(scene, bot, order, { authorization: `Bearer ${owner.signingKey.id}` }),
      'INVALID_API_KEY',
    )
    const signed = signOrder(scene, owner.signingKey, JSON.stringify(order))
    const accepted = await bot.copy().post('/auth/api-key/verify', ask(signed), service(scene))
    row.works('sign a request', (accepted.body as { valid: boolean }).valid)
    const again = (await bot.post('/auth/api-key/verify', ask(signed), service(scene))).body as Answer
    row.held('a recorded request, sent again', again.error?.code === 'REPLAYED', `200 ${again.error?.code}`)
    const larger = Buffer.from(JSON.stringify({ ...order, amount: '9500.00' })).toString('base64')
    const changed = (
      await bot.post(
        '/auth/api-key/verify',
        ask({ ...signOrder(scene, owner.signingKey, JSON.stringify(order)), body: larger }),
        service(scene),
      )
    ).body as Answer
    row.held('a recorded request with another amount', changed.error?.code === 'SIGNATURE_INVALID', `200 ${changed.error?.code}`)
  },
})

type Answer = { valid: boolean; error: { code: string } | null }

const service = ({ serviceKey }: Scene) => ({ headers: { authorization: `Bearer ${serviceKey}` } })
const ask = (request: object) => ({ request, permissions: { withdrawal: ['create'] }, ip: '127.0.0.1' })
const signOrder = (
  { service: { now }, withdrawals }: Scene,
  { id, privateKey }: { id: string; privateKey: Parameters<typeof signRequest>[0]['privateKey'] },
  body: string,
) => signRequest({ keyId: id, privateKey, url: `${withdrawals.url}/withdrawals`, body, created: Math.floor(now() / 1000) })

export const keepUsingKey = (scene: Scene, owner: Owner): Attack => ({
  name: 'A bearer key is used after its deletion',
  tried: 'call verify in 20 loops while the owner deletes the key; check each call that starts after the answer',
  async run(row) {
    const tab = await signInAsOwner(scene, owner)
    const headers = { authorization: `Bearer ${owner.bearerKey.key}` }
    const calls: { startedAt: number; status: number; code: string | undefined }[] = []
    let isOver = false
    const loop = async () => {
      const bot = createTab(scene.target)
      while (!isOver) {
        const startedAt = performance.now()
        const { status, code } = await bot.get('/auth/verify?scope=withdrawal:create', { headers })
        calls.push({ startedAt, status, code })
      }
    }
    const loops = Array.from({ length: 20 }, loop)
    await delayUntil(() => calls.length >= 200)
    expectOk(await tab.post('/auth/api-key/delete', { keyId: owner.bearerKey.id }), 'api-key/delete')
    const deletedAt = performance.now()
    const before = calls.length
    await delayUntil(() => calls.length >= before + 200)
    isOver = true
    await Promise.all(loops)
    row.works(
      'use the key before its deletion',
      calls.some(({ startedAt, status }) => startedAt < deletedAt && status === 200),
    )
    for (const call of calls.filter(({ startedAt }) => startedAt > deletedAt))
      row.refused('a call after the deletion', call, 'INVALID_API_KEY')
  },
})

async function delayUntil(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5))
}
