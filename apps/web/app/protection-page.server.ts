import { policy } from '@floorpass/api'

export const { phraseLength } = policy

const dayChoices = [1, 3, 7, 14, 30]
const usualDays = 7

/** How long unlocking can take, within the limits of the service, and the choice to begin with. */
export function lockDayChoices({ least, most }: { least: number; most: number }): { days: number[]; usualDays: number } {
  const within = dayChoices.filter((count) => count >= least && count <= most)
  const days = within.length > 0 ? within : [least]
  return { days, usualDays: days.findLast((count) => count <= usualDays) ?? Math.min(...days) }
}
