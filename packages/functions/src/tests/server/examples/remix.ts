import { requireCaller, type Verifier } from '@floorpass/server'

// In app/routes/orders.ts: export const loader = createOrders(floorpass)
export const createOrders =
  (floorpass: Verifier) =>
  async ({ request }: { request: Request }) => {
    const caller = await requireCaller(floorpass.verifyRequest, request, { scope: 'order:read' })
    return Response.json({ owner: caller.userId })
  }
