import {
  type AuditAction,
  type ErrorKey,
  type FieldProblem,
  type OrganizationAction,
  policy,
  type SocialRefusalCode,
} from '@floorpass/api'
import { fieldLengths, passwordLength } from '@floorpass/api/contracts'
import { textsIn } from '@floorpass/languages'
import { locales } from '@floorpass/languages/locales'
import type { Limits, ServerText as Sentences } from '@floorpass/languages/types'
import type { Locale } from '#app/text.ts'

type Refusal = SocialRefusalCode | 'too_many_requests' | 'service_unavailable' | 'unknown'

/** The texts whose keys are the names in the catalogues of the API. */
type Catalogues = {
  errors: ErrorKey
  fields: FieldProblem | 'other'
  activity: AuditAction
  organizationActivity: OrganizationAction
  socialRefusals: Refusal
}

/** A name of a catalogue without a sentence, or a sentence without a name, makes this a type error. */
type Complete = {
  [Name in keyof Catalogues]: [Catalogues[Name], keyof Sentences[Name]] extends [keyof Sentences[Name], Catalogues[Name]]
    ? unknown
    : {
        name: Name
        without: Exclude<Catalogues[Name], keyof Sentences[Name]>
        unused: Exclude<keyof Sentences[Name], Catalogues[Name]>
      }
}

export type ServerText = Sentences & { activityFailed: Partial<Record<AuditAction, string>> }

const limits: Limits = {
  organizations: policy.organizations.perUser,
  passkeys: policy.passkeys.perUser,
  apiKeyName: policy.apiKeys.nameLength,
  allowListEntries: policy.allowList.perUser,
  attemptMinutes: policy.socialFlow.lifetime / 60,
  lengths: fieldLengths,
  password: passwordLength,
}

const built = new Map(locales.map((locale): [Locale, ServerText & Complete] => [locale, textsIn(locale).server(limits)]))

/** What only loaders and actions say, in that language. */
export const serverTextIn = (locale: Locale): ServerText => built.get(locale) as ServerText
