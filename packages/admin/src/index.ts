export { openProgress } from './progress.ts'
export { runCommand, type Surroundings } from './run-command.ts'
