import { availableParallelism } from 'node:os'
import { recommendedCost } from '@floorpass/api'
import { hash, verify } from '@node-rs/argon2'

// How many passwords the machine compares a second when it does nothing else.

const seconds = Number(process.argv[2])
const stored = await hash('plum kettle orbit seven', recommendedCost)
const end = performance.now() + seconds * 1000
let count = 0
const compare = async () => {
  for (; performance.now() < end; count += 1) await verify(stored, 'plum kettle orbit seven')
}
await Promise.all(Array.from({ length: availableParallelism() }, compare))
console.log(count / seconds)
