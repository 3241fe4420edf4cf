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

/** A fault at one path: no answer, status 500, ten megabytes, a redirect, or unexpected JSON. */
export type GitHubFailure = { path: string; kind: 'silence' | 'failure' | 'flood' | 'redirect' | 'odd'; location?: string }

export type GitHubState = { person: GitHubPerson | null; failure: GitHubFailure | null }

export type GitHubStandIn = {
  environment: { GITHUB_CLIENT_ID: string; GITHUB_CLIENT_SECRET: string; GITHUB_URL: string; GITHUB_API_URL: string }
  /** Sets the user who signs in (null denies consent) and the fault. */
  set(state: Partial<GitHubState>): Promise<void>
  /** The method and path of each request since the last call, in order. */
  requests(): Promise<string[]>
  close(): Promise<void>
}

const clientId = 'Iv1.floorpasstests'
const clientSecret = 'a GitHub secret that only tests know'

/** A GitHub in its own process. */
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
