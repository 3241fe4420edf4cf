import type { Work } from './attempt.ts'

export type Check = { title: string; run: Work }
