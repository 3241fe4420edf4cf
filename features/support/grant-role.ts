import { requestCommand } from '@floorpass/service/admin-socket'

/** Runs an operator's command in the service of these tests. Returns what it printed. */
export async function runCommand(...line: string[]): Promise<string> {
  const said: string[] = []
  const result = await requestCommand('test-results/service/database', line, {
    user: 'tests',
    say: (text) => void said.push(text),
    ask: null,
    write: async () => {},
  })
  if (result?.exitCode !== 0) throw new Error(`${line[0]} failed: ${said.join(' ')}`)
  return result.stdout
}

export const grantRole = (email: string, role: 'admin' | 'support' | 'auditor'): Promise<string> =>
  runCommand('grant-role', email, '--role', role, '--reason', 'joined the support team', '--yes')
