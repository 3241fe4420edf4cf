import type { Settings } from '../kernel/settings.ts'

/** When a change that loosens the list takes effect, if made now. */
export const getCoolingOffEnd = ({ settings: { protection } }: { settings: Pick<Settings, 'protection'> }): Date =>
  new Date(Date.now() + protection.allowListHours * 3_600_000)
