import { router } from '../trpc.ts'
import { linkSocialAccount } from './link-social-account.ts'
import { listUserAccounts } from './list-user-accounts.ts'
import { unlinkAccount } from './unlink-account.ts'

export const linkedAccountsRouter = router({ list: listUserAccounts, link: linkSocialAccount, unlink: unlinkAccount })
