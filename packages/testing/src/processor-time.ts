/** Processor time of this process in milliseconds, the least of several rounds: other processes cost it no processor time. */
export async function measureProcessorTime(work: () => unknown, rounds = 3): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await timeOf(work))
  return Math.min(...times)
}

/**
 * The processor time of one round in milliseconds if it is below `limit`, else the least of ten rounds. The process collects garbage beside
 * the work: costly work is over the limit in every round, cheap work in few.
 */
export async function processorTimeBelow(limit: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 10 && least >= limit; round += 1) least = Math.min(least, await timeOf(work))
  return least
}

async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
