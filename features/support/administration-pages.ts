import { createAssertion, createRegistration } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { grantRole } from './grant-role.ts'
import { type Cookie, cookiesOf, createAccount, signIn } from './scene.ts'

/** An administrator with a passkey, and the pages for administrators. `prove` opens them for 15 minutes. */
export async function seedAdministrator(url: string, email: string, database: string) {
  const account = { name: 'Mary Jackson', email, password: 'copper kite 31 over the canal' }
  await createAccount(url, account)
  const tab = await signIn(url, account)
  const authenticator = createSoftwareAuthenticator()
  const response = await createRegistration(tab, authenticator, { origin: url })
  await tab.post('/auth/passkey/verify-registration', { response })
  await grantRole(email, 'admin', database)
  const prove = async (): Promise<Cookie[]> => {
    const passkey = await createAssertion(tab, authenticator, { origin: url })
    const { status } = await tab.post('/auth/reauthenticate', { passkey })
    if (status !== 200) throw new Error(`the administrator proved nothing: ${status}`)
    return cookiesOf(tab)
  }
  await prove()
  const users = (await tab.get('/auth/admin/list-users')).body as { users: { id: string }[] }
  const organizations = (await tab.get('/auth/admin/list-organizations')).body as { organizations: { id: string }[] }
  const pages = {
    'admin-users': '/admin',
    'admin-user': `/admin/users/${users.users.at(-1)?.id}`,
    'admin-new': '/admin/new',
    'admin-organizations': '/admin/organizations',
    'admin-organization': `/admin/organizations/${organizations.organizations[0]?.id}`,
    'admin-activity': '/admin/activity',
    'admin-mails': '/admin/mails',
    'admin-webhooks': '/admin/webhooks',
    'admin-settings': '/admin/settings',
  }
  return { prove, pages: Object.entries(pages).map(([name, path]) => ({ name, path })) }
}
