export { runCommand, type Surroundings } from './run-command.ts'
