import cluster from 'node:cluster'
import { superviseWorkers, workerCount } from './cluster/primary.ts'

// A primary draws no page and opens no database: what serves is loaded by those who serve.
if (cluster.isPrimary && workerCount() > 1) process.exit(await superviseWorkers(console.error))
await import('./http-server.ts')
