import { administratorProcedure } from '../trpc.ts'

/** The settings in force, without secrets, and where each came from. */
export const listSettings = administratorProcedure('setting:list').query(({ ctx }) => ({ settings: [...ctx.settings.variables] }))
