import { router } from '../trpc.ts'
import { deleteUser } from './delete-user.ts'
import { exportData } from './export-data.ts'
import { updateUser } from './update-user.ts'

export const profileRouter = router({ update: updateUser, delete: deleteUser, exportData })
