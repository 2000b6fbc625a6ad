/**
 * A random delay around the average, so that runs that fail together do not retry together.
 * Drawn from an exponential distribution that is truncated above at `average * (1 + factor)` and below at the point that
 * keeps the mean near the average. `random` is uniform in [0, 1).
 */
export function applyJitter(average: number, factor: number, random: number): number {
  if (average <= 0 || factor <= 0) return Math.max(0, average)
  const upper = 1 + factor
  const lowest = cumulativeProbability(lowerMultiple(upper))
  const drawn = lowest + (cumulativeProbability(upper) - lowest) * random
  // With a very large factor nothing is truncated; the bound keeps the logarithm finite.
  return -Math.log(Math.max(1 - drawn, 1e-10)) * average
}

/** The cumulative distribution at a multiple of the average. */
const cumulativeProbability = (multiple: number): number => 1 - Math.exp(-multiple)

/** The larger the upper bound, the smaller the lower one. From 50 on, the quotient is 1 in double precision. */
const lowerMultiple = (upper: number): number => (upper >= 50 ? 0 : Math.log2(2 ** upper / (2 ** upper - 1)))
