import { type Context, policy } from '@floorpass/api'
import { findBodyKind } from './read-input.ts'

const page = '/settings/profile'

/** The route, and the page without and with JavaScript. */
const uploadPaths = new Set(['/auth/set-picture', page, `${page}.data`])

const sendsFiles = ({ method, headers }: Request): boolean => method === 'POST' && findBodyKind(headers, ['multipart']) !== null

/** How many bytes of a body the edge reads. More for a signed-in user who sends a picture. */
export async function largestBodyOf(request: Request, context: Context): Promise<number> {
  const isUpload = sendsFiles(request) && uploadPaths.has(new URL(request.url).pathname)
  return isUpload && (await context.findSession()) ? policy.pictures.largestForm : policy.largestBody
}

export const isPictureForm = (request: Request): boolean => sendsFiles(request) && new URL(request.url).pathname === page
