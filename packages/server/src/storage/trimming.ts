import type { Micros } from '../lib/time.ts'

/** Before everything: removing what is too old begins here, unless something is spared. */
export const earliestTime: Micros = -9_000_000_000_000_000
