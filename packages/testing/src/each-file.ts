import { registerCleanup } from './close-after-file.ts'

registerCleanup()
