import type { Micros } from './time.ts'

/**
 * Finished runs are added up in slots of three lengths by expected start (ADR 0060). Level 1 has the shortest slots; `width` is in slots of level 1. The
 * migrations contain the same numbers.
 */
export const slotLevels = [
  { level: 1, width: 1 },
  { level: 2, width: 15 },
  { level: 3, width: 180 },
] as const
export const slotMicros = 20_000_000

/** Slot 0 begins this long before 1970, earlier than any time, so that a division rounds down. */
export const slotOriginMicros = 62_208_000_000_000_000n

/** The slot of level 1 that contains a time, for recent times. */
export const slotAt = (time: Micros): number => Math.floor(time / slotMicros) + Number(slotOriginMicros / BigInt(slotMicros))
