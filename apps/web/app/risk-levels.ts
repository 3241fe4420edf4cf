/** The levels in the words of the pages, in the order of the risk they take. */
export const riskLevels = [
  { value: 'conservative', label: 'Conservative', description: 'Keeping what you have comes first. Every account starts here.' },
  { value: 'moderate', label: 'Moderate', description: 'Some loss is acceptable for a better return.' },
  { value: 'aggressive', label: 'Aggressive', description: 'Large swings are acceptable, losses included.' },
] as const
