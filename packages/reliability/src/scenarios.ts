import type { Scenario } from './scenario.ts'
import { postgresRestarts } from './scenarios/postgres-restarts.ts'
import { redisOutage } from './scenarios/redis-outage.ts'
import { rollingRestarts } from './scenarios/rolling-restarts.ts'
import { slowDatabase } from './scenarios/slow-database.ts'

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [postgresRestarts, slowDatabase, redisOutage, rollingRestarts]
