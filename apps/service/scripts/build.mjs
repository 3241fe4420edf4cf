import { fileURLToPath } from 'node:url'
import { dropSuperseded } from '../../../scripts/drop-superseded.mjs'
import { bundle } from './bundle.mjs'

const since = Date.now()
await bundle()
dropSuperseded(fileURLToPath(new URL('../build', import.meta.url)), since)
