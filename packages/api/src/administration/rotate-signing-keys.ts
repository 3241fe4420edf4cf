import type { Operator } from './operator.ts'

/** Returns when the standby key begins to sign. */
export const rotateSigningKeys = async ({ ctx }: Operator): Promise<{ signsFrom: Date }> => ({
  signsFrom: await ctx.signingKeys.rotate(),
})
