import { router } from '../trpc.ts'
import { addEntry } from './add-entry.ts'
import { listEntries } from './list-entries.ts'
import { removeEntry } from './remove-entry.ts'
import { setAllowList } from './set-allow-list.ts'

export const allowListRouter = router({
  add: addEntry,
  remove: removeEntry,
  list: listEntries,
  setEnabled: setAllowList,
})
