import { type Verifier, withCaller } from '@floorpass/server'

// In app/orders/route.ts: export const GET = createOrders(floorpass)
export const createOrders = (floorpass: Verifier) =>
  withCaller(floorpass.verifyRequest, { scope: 'order:read' }, (_request, caller) => Response.json({ owner: caller.userId }))
