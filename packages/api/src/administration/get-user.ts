import { administratorProcedure } from '../trpc.ts'
import { getUserInput } from './contract.ts'
import { showUser } from './show-user.ts'

/** USER_NOT_FOUND. */
export const getUser = administratorProcedure('user:get')
  .input(getUserInput)
  .query(({ ctx, input }) => showUser({ ctx }, input.id))
