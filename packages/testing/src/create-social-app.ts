import { closeAfterFile } from './close-after-file.ts'
import { createTestApp } from './create-test-app.ts'
import { startGitHub } from './github-stand-in.ts'
import { startOpenIdProvider } from './openid-provider.ts'

const callback = 'http://localhost:3000/auth/callback'

/** An app that signs in with Google and GitHub. Both providers close after the test file. */
export async function createSocialApp(environment: Record<string, string> = {}) {
  const [google, github] = await Promise.all([startOpenIdProvider(`${callback}/google`), startGitHub(`${callback}/github`)])
  closeAfterFile(google.close)
  closeAfterFile(github.close)
  return { app: await createTestApp({ ...google.environment, ...github.environment, ...environment }), google, github }
}
