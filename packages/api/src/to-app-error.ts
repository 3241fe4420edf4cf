import { isDatabaseUnavailable } from '@floorpass/db'
import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { AppError, catalogue, type ErrorKey, validationError } from './kernel/errors.ts'

/** An unexpected value becomes INTERNAL_SERVER_ERROR with the original as `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const cause = error instanceof TRPCError ? error.cause : error
  if (cause instanceof AppError) return cause
  if (cause instanceof ZodError) return validationError(cause)
  if (isDatabaseUnavailable(cause)) return new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1, cause })
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return new AppError(getTrpcErrorKey(error), { cause })
  return new AppError('INTERNAL_SERVER_ERROR', { cause })
}

function getTrpcErrorKey({ code, cause }: TRPCError): ErrorKey {
  if (code === 'PARSE_ERROR' || cause instanceof SyntaxError) return 'BAD_REQUEST'
  const entry = Object.entries(catalogue).find(([key, [trpcCode]]) => trpcCode === code && key !== 'BAD_REQUEST')
  return entry ? (entry[0] as ErrorKey) : 'VALIDATION_ERROR'
}
