import { z } from 'zod'
import { callbackURL, imageUrl, locale, oneTimeToken, password, personName, riskLevel } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { providerIds } from '../kernel/provider-ids.ts'

/** Loose, so that `updateUser` can name the forbidden fields. */
export const updateUserInput = z.looseObject({
  name: personName.optional(),
  image: imageUrl.nullable().optional(),
  tradingEnabled: z.boolean().optional(),
  riskLevel: riskLevel.optional(),
  locale: locale.optional(),
})

/** Base64, since JSON has no bytes. The edge turns the file of a form into it. */
export const setPictureInput = z.object({
  picture: z
    .string()
    .min(1, 'Choose a file')
    .max(Math.ceil(policy.pictures.largestForm / 3) * 4)
    .describe('The file in base64: JPEG, PNG, WebP or GIF'),
})

export const takeProviderPictureInput = z.object({ providerId: z.enum(providerIds) })

export const getPictureInput = z.object({ name: z.string().max(64) })

/** By which a person filters the activity. */
const activityKinds = ['sign-ins', 'security', 'profile', 'organizations', 'support'] as const
export type ActivityKind = (typeof activityKinds)[number]

const moment = z.iso.datetime()

/** Of a query string. */
export const activityFilter = z.object({
  kind: z.enum(activityKinds).optional().describe('Only events of this kind'),
  since: moment.optional().describe('The first moment, in UTC'),
  until: moment.optional().describe('The moment after the last one, in UTC'),
})

export const listActivityInput = activityFilter.extend({
  cursor: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export const deleteUserInput = z.object({ password: password.optional(), token: oneTimeToken.optional(), callbackURL })
