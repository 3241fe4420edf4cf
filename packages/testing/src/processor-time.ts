/** Processor time of this process in milliseconds, the least of several rounds: other processes cost it no processor time. */
export async function measureProcessorTime(work: () => unknown, rounds = 3): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return Math.min(...times)
}
