import { requestCommand } from '@floorpass/service/admin-socket'

/** Runs the operator's command in the service of these tests. */
export async function grantRole(email: string, role: 'admin' | 'support' | 'auditor'): Promise<void> {
  const said: string[] = []
  const line = ['grant-role', email, '--role', role, '--reason', 'joined the support team', '--yes']
  const result = await requestCommand('test-results/service/database', line, {
    user: 'tests',
    say: (text) => void said.push(text),
    ask: null,
    write: async () => {},
  })
  if (result?.exitCode !== 0) throw new Error(`the role was not granted: ${said.join(' ')}`)
}
