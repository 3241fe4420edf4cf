export { openForOperator, openService, type Service } from './deps.ts'
export { type Connection, createEdge, type Edge, type PageContext, type Pages } from './edge.ts'
export { createSessionFastPath } from './session-fast-path.ts'
export { explainStartFailure, UnknownHostError } from './start-failure.ts'
