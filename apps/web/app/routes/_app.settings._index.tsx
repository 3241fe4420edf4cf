import { ChevronRightIcon } from '@heroicons/react/24/outline'
import { Link, type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { SectionIcon } from '#app/components/section-icon.tsx'
import { Status } from '#app/components/status.tsx'
import { pageTitle } from '#app/page-title.ts'
import { type SettingsSection, sectionOfStep, settingsGroups } from '#app/settings-groups.ts'
import { type Text, useText } from '#app/text.ts'

/** A sentence about the section. `isGood` marks it where it is good or bad, and not only so. */
type State = { words: string; isGood?: boolean; step?: string }

export const loader = withApi(async ({ api, text }) => {
  const { user } = await api.sessions.require()
  const [security, twoFactor, passkeys, accounts, sessions, apiKeys, allowList, organizations, protection] = await Promise.all([
    api.profile.getSecurity(),
    api.twoFactor.get(),
    api.passkeys.list(),
    api.linkedAccounts.list(),
    api.sessions.list(),
    api.apiKeys.list({ limit: 0 }),
    api.allowList.list(),
    api.organizations.list(),
    api.protection.get(),
  ])
  const { states } = text.settings
  const providers = accounts.filter(({ providerId }) => providerId !== 'credential')
  const list: Record<SettingsSection, State> = {
    profile: { words: user.name },
    email: { words: user.email },
    password: { words: twoFactor.hasPassword ? states.passwordSet : states.passwordNone },
    passkeys: { words: states.passkeys(passkeys.length), isGood: passkeys.length > 0 },
    security: { words: twoFactor.isEnabled ? states.twoFactorOn : states.twoFactorOff, isGood: twoFactor.isEnabled },
    accounts: {
      words: providers.map(({ providerId }) => text.accounts.names[providerId] ?? providerId).join(', ') || states.accountsNone,
    },
    sessions: { words: states.sessions(sessions.length) },
    'api-keys': { words: states.apiKeys(apiKeys.total) },
    protection: describeProtection(protection, states),
    'allow-list': { words: allowList.enabled ? states.allowListOn : states.allowListOff, isGood: allowList.enabled },
    activity: { words: states.activity },
    trading: { words: user.tradingEnabled ? states.tradingOn : states.tradingOff },
    organizations: { words: states.organizations(organizations.length) },
    danger: { words: states.danger },
  }
  for (const { name, done } of security.steps) if (!done) list[sectionOfStep[name]].step ??= text.dashboard.steps[name].link
  return { states: list }
})

type Protection = { hold: { until: Date | null }; lock: { locked: boolean } }

const describeProtection = ({ hold, lock }: Protection, states: Text['settings']['states']): State => {
  if (hold.until) return { words: states.protectionHeld, isGood: false }
  return { words: lock.locked ? states.protectionLocked : states.protectionOpen }
}

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.settings.title)

export default function SettingsOverview() {
  const text = useText('settings')
  const { states } = useLoaderData<typeof loader>()
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2 lg:grid-rows-[auto_auto_1fr]">
      {settingsGroups.map(({ group, sections }) => (
        <section
          key={group}
          aria-labelledby={`overview-${group}`}
          className={`rounded-xl border border-line bg-surface px-2 py-3 shadow-lift sm:px-3 ${group === 'security' ? 'lg:row-span-3' : ''}`}
        >
          <h2 id={`overview-${group}`} className="px-3 pb-1 text-lg font-semibold">
            {text.groups[group]}
          </h2>
          <ul className="divide-y divide-line">
            {sections.map((section) => (
              <li key={section}>
                <SectionLink section={section} label={text.sections[section]} {...states[section]} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function SectionLink({ section, label, words, isGood, step }: State & { section: SettingsSection; label: string }) {
  return (
    <Link
      to={`/settings/${section}`}
      className="flex items-center gap-4 rounded-md px-3 py-3.5 hover:bg-sunken focus-visible:-outline-offset-3"
    >
      <span className="grid size-10 shrink-0 place-content-center rounded-full bg-accent-soft text-accent">
        <SectionIcon section={section} />
      </span>
      <span className="grid min-w-0 grow gap-0.5">
        <span className="font-semibold">{label}</span>
        <span className="text-sm wrap-anywhere text-ink-soft">
          {isGood === undefined ? words : <Status good={isGood}>{words}</Status>}
        </span>
        {step && <span className="text-sm font-medium text-accent">{step}</span>}
      </span>
      <ChevronRightIcon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
    </Link>
  )
}
