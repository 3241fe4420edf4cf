export { openService, type Service } from './deps.ts'
export { type Connection, createEdge, type Edge, type PageContext, type Pages } from './edge.ts'
export { refusePage } from './http/respond.ts'
export { explainStartFailure, UnknownHostError } from './start-failure.ts'
