import { AppError, type RateLimiter } from '@floorpass/api'

export const countRefusals = (
  limiter: RateLimiter,
  count: (rule: Parameters<RateLimiter['consume']>[0]) => void,
): RateLimiter => ({
  ...limiter,
  async consume(rule, key, tries) {
    return limiter.consume(rule, key, tries).catch((error: unknown) => {
      if (error instanceof AppError) count(rule)
      throw error
    })
  },
  async allows(rule, key) {
    const isAllowed = await limiter.allows(rule, key)
    if (!isAllowed) count(rule)
    return isAllowed
  },
})
