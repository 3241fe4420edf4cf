import type { Scenario } from './scenario.ts'
import { backupPostgres } from './scenarios/backup-postgres.ts'
import { clockSteps } from './scenarios/clock-steps.ts'
import { diskFull } from './scenarios/disk-full.ts'
import { diskReadOnly } from './scenarios/disk-read-only.ts'
import { killNineEmbedded, killNinePostgres } from './scenarios/kill-nine.ts'
import { mailOutage } from './scenarios/mail-outage.ts'
import { patroniFailover, patroniProxy } from './scenarios/patroni-failover.ts'
import { postgresRestarts } from './scenarios/postgres-restarts.ts'
import { previousRelease } from './scenarios/previous-release.ts'
import { redisFailover, redisHour } from './scenarios/redis-failover.ts'
import { redisOutage } from './scenarios/redis-outage.ts'
import { rollingRestarts } from './scenarios/rolling-restarts.ts'
import { slowDatabase } from './scenarios/slow-database.ts'

export const scenarios: readonly Scenario[] = [
  postgresRestarts,
  slowDatabase,
  redisOutage,
  mailOutage,
  diskFull,
  diskReadOnly,
  clockSteps,
  rollingRestarts,
  killNineEmbedded,
  killNinePostgres,
  backupPostgres,
  previousRelease,
  patroniFailover,
  patroniProxy,
  redisFailover,
  redisHour,
]
