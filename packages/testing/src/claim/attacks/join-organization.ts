import { askAboutKey } from '../../api-keys.ts'
import type { Attack } from '../row.ts'
import { assertOn, type Owner, panicLinkOf, type Scene, signInAsOwner, signInWithCode } from '../scene.ts'
import { createTab, expectOk } from '../tab.ts'

export const joinOrganization = (scene: Scene, owner: Owner, accomplice: Owner): Attack => ({
  name: 'The thief invites an accomplice into the organization',
  tried:
    'withdraw for it as its new owner, with a session and with a key; remove the owner; delete it; come back after the panic link',
  async run(row) {
    const own = await signInAsOwner(scene, owner)
    const founded = await own.post('/auth/organization/create', { name: 'Desk', slug: `desk-${scene.service.now()}` })
    const { id: organizationId } = expectOk<{ id: string }>(founded, 'organization/create')
    const canWithdraw = await own.get(`/auth/verify?org=${organizationId}&scope=withdrawal:create`)
    row.works('the founder withdraws for the organization', canWithdraw.status === 200)

    const thief = await signInWithCode(scene, owner)
    const invite = async (email: string) =>
      expectOk<{ id: string }>(
        await thief.post('/auth/organization/invite-member', { organizationId, email, role: 'owner' }),
        'invite-member',
      )
    let invitationId = ''
    const link = await panicLinkOf(scene, owner.email, async () => {
      invitationId = (await invite(accomplice.email)).id
    })
    const { id: second } = await invite(`second-${accomplice.email}`)

    const tab = await signInAsOwner(scene, accomplice)
    expectOk(await tab.post('/auth/organization/accept-invitation', { invitationId }), 'accept-invitation')
    row.refused(
      'withdraw for the organization',
      await tab.get(`/auth/verify?org=${organizationId}&scope=withdrawal:create`),
      'INSUFFICIENT_SCOPE',
    )
    const permissions = { withdrawal: ['create'] }
    const passkey = await assertOn(tab, accomplice.authenticator)
    const created = await tab.post('/auth/api-key/create', { name: 'Payouts', organizationId, permissions, passkey })
    const { key } = expectOk<{ key: string }>(created, 'api-key/create')
    const asked = await askAboutKey(createTab(scene.target), { key, permissions }, scene.serviceKey)
    row.held('a key of the organization withdraws', asked.error?.code === 'ACCOUNT_HELD', `200 ${asked.error?.code}`)
    const act = (route: string, fields: object = {}) => tab.post(`/auth/organization/${route}`, { organizationId, ...fields })
    row.refused('remove the owner', await act('remove-member', { memberIdOrEmail: owner.email }), 'ROLE_TOO_NEW')
    row.refused('delete the organization', await act('delete'), 'ROLE_TOO_NEW')

    expectOk(await createTab(scene.target).post('/auth/panic', { token: link }), 'panic')
    const back = await signInAsOwner(scene, owner)
    const removed = await back.post('/auth/organization/remove-member', { organizationId, memberIdOrEmail: accomplice.email })
    row.works('the owner removes the accomplice after the press', removed.status === 200)
    row.refused('ask for the organization again', await tab.get(`/auth/verify?org=${organizationId}`), 'ORGANIZATION_REQUIRED')
    const open = await tab.get(`/auth/organization/get-invitation?id=${second}`)
    row.refused('use an invitation from before the press', open, 'INVITATION_NOT_FOUND')
  },
})
