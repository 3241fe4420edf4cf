import { requestCommand } from '@floorpass/service/admin-socket'

const testsDatabase = 'test-results/service/database'

/** Runs an operator's command in the service with this embedded database. Returns what it printed. */
async function runCommandIn(database: string, line: string[]): Promise<string> {
  const said: string[] = []
  const result = await requestCommand(database, line, {
    user: 'tests',
    say: (text) => void said.push(text),
    ask: null,
    write: async () => {},
  })
  if (result?.exitCode !== 0) throw new Error(`${line[0]} failed: ${said.join(' ')}`)
  return result.stdout
}

/** Runs an operator's command in the service of these tests. Returns what it printed. */
export const runCommand = (...line: string[]): Promise<string> => runCommandIn(testsDatabase, line)

export const grantRole = (email: string, role: 'admin' | 'support' | 'auditor', database = testsDatabase): Promise<string> =>
  runCommandIn(database, ['grant-role', email, '--role', role, '--reason', 'joined the support team', '--yes'])
