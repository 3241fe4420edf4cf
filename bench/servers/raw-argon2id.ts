import { availableParallelism } from 'node:os'
import { recommendedCost } from '@floorpass/api'
import { hash, verify } from '@node-rs/argon2'

// Measures how many passwords per second the machine can verify.

const seconds = Number(process.argv[2])
const stored = await hash('plum kettle orbit seven', recommendedCost)
const end = performance.now() + seconds * 1000
let count = 0
const compare = async () => {
  for (; performance.now() < end; count += 1) await verify(stored, 'plum kettle orbit seven')
}
await Promise.all(Array.from({ length: availableParallelism() }, compare))
console.log(count / seconds)
