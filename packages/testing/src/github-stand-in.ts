import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type GitHubPerson = {
  id: number
  login: string
  name?: string | null
  avatar_url?: string | null
  emails: { email: string; primary: boolean; verified: boolean }[]
}

/** What goes wrong at the named path: no answer, status 500, ten megabytes, a redirect, or JSON that is not what was asked for. */
export type GitHubFailure = { path: string; kind: 'silence' | 'failure' | 'flood' | 'redirect' | 'odd'; location?: string }

export type GitHubState = { person: GitHubPerson | null; failure: GitHubFailure | null }

export type GitHubStandIn = {
  environment: { GITHUB_CLIENT_ID: string; GITHUB_CLIENT_SECRET: string; GITHUB_URL: string; GITHUB_API_URL: string }
  /** Who sits there (null denies consent), and what fails, from now on. */
  set(state: Partial<GitHubState>): Promise<void>
  /** What reached it since the last call: method and path, in order. */
  requests(): Promise<string[]>
  close(): Promise<void>
}

const clientId = 'Iv1.floorpasstests'
const clientSecret = 'a GitHub secret that only tests know'

/** A GitHub of one's own, as a process of its own. */
export async function startGitHub(redirectUri: string): Promise<GitHubStandIn> {
  const child = fork(
    fileURLToPath(new URL('github-stand-in-process.ts', import.meta.url)),
    [clientId, clientSecret, redirectUri],
    {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const [port] = (await once(child, 'message')) as [number]
  const url = `http://127.0.0.1:${port}`
  return {
    environment: { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret, GITHUB_URL: url, GITHUB_API_URL: url },
    async set(state) {
      await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(state) })
    },
    async requests() {
      return (await (await fetch(`${url}/control`)).json()) as string[]
    },
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
