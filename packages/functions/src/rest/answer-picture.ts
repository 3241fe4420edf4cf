import type { Api } from '@floorpass/api'

/** GET /auth/pictures/<name>.webp. Another picture has another name, so browsers keep each for good. */
export async function answerPicture(api: Api, input: { name: string }, request: Request): Promise<Response> {
  const { picture } = await api.profile.getPicture(input)
  const etag = `"${input.name}"`
  const headers = { 'cache-control': 'public, max-age=31536000, immutable', etag }
  if (
    request.headers
      .get('if-none-match')
      ?.split(',')
      .some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
    return new Response(null, { status: 304, headers })
  return new Response(Buffer.from(picture, 'base64'), { headers: { ...headers, 'content-type': 'image/webp' } })
}
