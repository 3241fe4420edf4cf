import { callerOf, guardHono, type Verifier } from '@floorpass/server'
import { Hono } from 'hono'

export function createOrders(floorpass: Verifier) {
  const app = new Hono()
  app.use('/orders', guardHono(floorpass.verifyRequest, { scope: 'order:read' }))
  app.get('/orders', (context) => context.json({ owner: callerOf(context).userId }))
  return app
}
