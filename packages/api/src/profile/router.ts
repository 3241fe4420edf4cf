import { router } from '../trpc.ts'
import { deleteUser } from './delete-user.ts'
import { exportActivity } from './export-activity.ts'
import { exportData } from './export-data.ts'
import { getPicture } from './get-picture.ts'
import { getSecurity } from './get-security.ts'
import { listActivity } from './list-activity.ts'
import { listPictureProviders } from './list-picture-providers.ts'
import { removePicture } from './remove-picture.ts'
import { setPicture } from './set-picture.ts'
import { takeProviderPicture } from './take-provider-picture.ts'
import { updateUser } from './update-user.ts'

export const profileRouter = router({
  update: updateUser,
  delete: deleteUser,
  exportData,
  listActivity,
  exportActivity,
  getSecurity,
  getPicture,
  setPicture,
  takeProviderPicture,
  listPictureProviders,
  removePicture,
})
