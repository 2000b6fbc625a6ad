/**
 * An interval around the average, so that whatever failed together does not come back together.
 * Drawn from the exponential distribution and cut off on both sides: above at `average * (1 + factor)`, below where
 * that leaves the average about in its place. `random` is uniform in [0, 1).
 */
export function applyJitter(average: number, factor: number, random: number): number {
  if (average <= 0 || factor <= 0) return Math.max(0, average)
  const upper = 1 + factor
  const lowest = cumulativeProbability(lowerMultiple(upper))
  const drawn = lowest + (cumulativeProbability(upper) - lowest) * random
  // A factor so large that nothing is cut off may draw the whole distribution; the bound keeps the logarithm finite.
  return -Math.log(Math.max(1 - drawn, 1e-10)) * average
}

/** The share of the distribution below a multiple of its average. */
const cumulativeProbability = (multiple: number): number => 1 - Math.exp(-multiple)

/** The wider it is above, the lower it may begin; at 2^50 the quotient is 1 for all a double can tell. */
const lowerMultiple = (upper: number): number => (upper >= 50 ? 0 : Math.log2(2 ** upper / (2 ** upper - 1)))
