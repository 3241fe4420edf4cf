import { closeWhatFilesOpen } from './close-after-file.ts'

closeWhatFilesOpen()
