import { callerOf, guardFastify, type Verifier } from '@floorpass/server'
import fastify from 'fastify'

export function createOrders(floorpass: Verifier) {
  const app = fastify()
  app.get('/orders', { onRequest: guardFastify(floorpass.verifyRequest, { scope: 'order:read' }) }, (request) => ({
    owner: callerOf(request).userId,
  }))
  return app
}
