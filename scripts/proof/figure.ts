/** One promise with its measured value. */
export interface Figure {
  readonly name: string
  readonly asked: string
  readonly measured: string
  readonly passed: boolean
}

export const exactly = (name: string, measured: number | string, asked: number | string): Figure => ({
  name,
  asked: String(asked),
  measured: String(measured),
  passed: measured === asked,
})

/** Below the limit. The measured value must be finite. */
export const below = (name: string, measured: number, limit: number, unit = ''): Figure => ({
  name,
  asked: `< ${limit}${withSpace(unit)}`,
  measured: `${rounded(measured)}${withSpace(unit)}`,
  passed: measured < limit,
})

export const atLeast = (name: string, measured: number, limit: number, unit = ''): Figure => ({
  name,
  asked: `≥ ${limit}${withSpace(unit)}`,
  measured: `${rounded(measured)}${withSpace(unit)}`,
  passed: measured >= limit,
})

/** A value without a promise, for the reader. */
export const observed = (name: string, measured: string | number): Figure => ({ name, asked: '–', measured: String(measured), passed: true })

const withSpace = (unit: string): string => (unit === '' ? '' : ` ${unit}`)

const rounded = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(3)))

/** The largest value of a list of any length; 0 of an empty one. */
export const largest = (values: Iterable<number>): number => {
  let found = 0
  for (const value of values) if (value > found) found = value
  return found
}

/** The value that a share of the list does not exceed; 0 of an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
