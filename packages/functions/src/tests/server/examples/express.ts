import { callerOf, guardExpress, type Verifier } from '@floorpass/server'
import express from 'express'

export function createOrders(floorpass: Verifier) {
  const app = express()
  app.use('/orders', guardExpress(floorpass.verifyRequest, { scope: 'order:read' }))
  app.get('/orders', (request, response) => {
    response.json({ owner: callerOf(request).userId })
  })
  return app
}
