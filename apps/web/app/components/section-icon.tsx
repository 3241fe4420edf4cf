import {
  ArrowDownTrayIcon,
  AtSymbolIcon,
  BookOpenIcon,
  BuildingOffice2Icon,
  ChartBarIcon,
  ClockIcon,
  CommandLineIcon,
  ComputerDesktopIcon,
  FingerPrintIcon,
  KeyIcon,
  LinkIcon,
  LockClosedIcon,
  ShieldCheckIcon,
  UserIcon,
} from '@heroicons/react/24/outline'
import type { SettingsSection } from '#app/settings-groups.ts'

const icons: Record<SettingsSection, typeof UserIcon> = {
  profile: UserIcon,
  email: AtSymbolIcon,
  password: KeyIcon,
  passkeys: FingerPrintIcon,
  security: ShieldCheckIcon,
  accounts: LinkIcon,
  sessions: ComputerDesktopIcon,
  'api-keys': CommandLineIcon,
  protection: LockClosedIcon,
  'allow-list': BookOpenIcon,
  activity: ClockIcon,
  trading: ChartBarIcon,
  organizations: BuildingOffice2Icon,
  danger: ArrowDownTrayIcon,
}

/** Decoration: the label beside it says what it is. */
export function SectionIcon({ section }: { section: SettingsSection }) {
  const Icon = icons[section]
  return <Icon aria-hidden="true" className="size-5 shrink-0" />
}
