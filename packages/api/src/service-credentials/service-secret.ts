import { createToken } from '../kernel/random-token.ts'

/** The prefix lets scanners find a secret that was committed or logged elsewhere. */
export const createServiceSecret = (): string => `fps_${createToken()}`

export const isServiceSecret = (text: string): boolean => /^fps_[\w-]{43}$/.test(text)
