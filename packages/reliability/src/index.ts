export { type Balancer, startBalancer } from './balancer.ts'
export { runJourney } from './journey.ts'
export { createMailServer } from './mail-server.ts'
export {
  ask,
  cookiesOf,
  type Mailbox,
  mailedToken,
  outboxOf,
  type Person,
  signedInPerson,
  signIn,
  type Target,
} from './person.ts'
export { findPostgres, type PostgresCluster, type PostgresStandby, startPostgresCluster } from './postgres-cluster.ts'
export { findRedis, type RedisProcess, startRedis } from './redis-process.ts'
export { replaceBlock } from './report.ts'
export type { Outcome, Scenario, Workplace } from './scenario.ts'
export { scenarios } from './scenarios.ts'
export { type SentinelCluster, startSentinelCluster } from './sentinel-cluster.ts'
export { type Exit, freePort, killServices, launchService, type ServiceProcess, startService } from './service-process.ts'
export { type SteppedService, startSteppedService } from './stepped-service.ts'
