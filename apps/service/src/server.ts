import cluster from 'node:cluster'
import { superviseWorkers } from './cluster/primary.ts'
import { workerCount } from './cluster/worker-count.ts'

// The primary serves nothing, so it never loads the server.
if (cluster.isPrimary && workerCount() > 1) process.exit(await superviseWorkers(console.error))
await import('./http-server.ts')
