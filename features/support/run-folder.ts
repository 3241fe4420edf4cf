import { openRunFolder } from '@floorpass/testing/run-folder'

/** The services and browsers of this run keep their files in one folder. Returns its removal. */
export default function openFolderOfRun(): () => void {
  return openRunFolder().remove
}
