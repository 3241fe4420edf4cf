import { createFollower, createVerifier, withCaller } from '@floorpass/server'

type Settings = { issuer: string; audience: string; serviceKey: string }

export async function openOrders({ issuer, audience, serviceKey }: Settings) {
  const follower = createFollower({ serviceUrl: issuer, serviceKey, onError: (error) => console.warn(error.message) })
  follower.start()
  await follower.ready()
  const floorpass = createVerifier({ issuer, audience, follower })
  const handler = withCaller(floorpass.verifyBearer, { scope: 'order:read' }, (_request, caller) =>
    Response.json({ owner: caller.userId }),
  )
  return { handler, follower }
}
