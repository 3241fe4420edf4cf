import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from './router.ts'

type User = inferRouterOutputs<AppRouter>['sessions']['require']['user']
type SignUp = inferRouterInputs<AppRouter>['signIn']['signUp']

/** better-auth's client knows these fields, `twoFactorEnabled` from its plugin. */
type KnownField = 'id' | 'name' | 'email' | 'emailVerified' | 'image' | 'createdAt' | 'updatedAt' | 'twoFactorEnabled'

type FieldType<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [Date]
      ? 'date'
      : string extends Value
        ? 'string'
        : Value[]

type Field<Value, Input> = {
  type: FieldType<NonNullable<Value>>
  required: null extends Value ? false : true
  defaultValue: NonNullable<Value>
  input: Input
}

/**
 * The fields that a user has beyond better-auth's own: `inferAdditionalFields<FloorpassAuth>()` types them in better-auth's client.
 * They come from the service's types, so a new version of this package brings new fields.
 */
export type FloorpassAuth = {
  options: {
    user: {
      additionalFields: {
        [Name in Exclude<keyof User, KnownField>]: Field<User[Name], Name extends keyof SignUp ? true : false>
      }
    }
  }
}
