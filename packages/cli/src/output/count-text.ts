import { formatNumber } from './number-text.ts'

/** `1 queue`, `12,345 queues`. */
export const countText = (count: number, noun: string): string => `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`

/** `1 queue and 2 workers`, without what there is none of. Empty if there is nothing. */
export const countsText = (counts: readonly (readonly [count: number, noun: string])[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => countText(count, noun))
    .join(' and ')
