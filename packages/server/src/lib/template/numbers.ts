import type { Budget } from './budget.ts'
import { TemplateError } from './errors.ts'

/** The limit of Python. Reading or writing a number takes time quadratic in its digits. */
const digitsMax = 4300

export function parseDigits(text: string): bigint {
  if (text.length > digitsMax) throw new TemplateError(`A number in the template has too many digits (at most ${digitsMax})`)
  return BigInt(text)
}

/** Above this size, arithmetic takes noticeably longer than a step. */
const smallMax = 1n << 128n

/** The cost of computing with a large number or writing it: up to 50 microseconds. */
const stepsPerLargeInteger = 128

/** Called before arithmetic with integers and before writing them. */
export function spendOnIntegers(budget: Budget, ...numbers: readonly (boolean | bigint | number)[]): void {
  for (const number of numbers) if (typeof number === 'bigint' && (number > smallMax || number < -smallMax)) budget.spend(stepsPerLargeInteger)
}

/** Groups digits by three from the right. */
export function groupDigits(digits: string, mark: string): string {
  const parts: string[] = []
  for (let end = digits.length; end > 0; end -= 3) parts.push(digits.slice(Math.max(0, end - 3), end))
  return parts.reverse().join(mark)
}

/** Rounds half to even. */
export function roundHalfEven(number: number, digits: number): number {
  if (!Number.isFinite(number)) return number
  if (digits < 0) {
    const unit = 10 ** -digits
    return roundToEven(number / unit) * unit
  }
  // A number exactly between two decimals has a short binary fraction.
  const isMiddle = Number.isInteger(number * 2 ** (digits + 1)) && Math.abs((number * 10 ** digits) % 1) === 0.5
  return isMiddle ? roundToEven(number * 10 ** digits) / 10 ** digits : Number(number.toFixed(digits))
}

function roundToEven(number: number): number {
  const below = Math.floor(number)
  const fraction = number - below
  if (fraction !== 0.5) return Math.round(number)
  return below % 2 === 0 ? below : below + 1
}

/** Formats with a fixed number of decimals. */
export const toFixed = (number: number, digits: number): string => roundHalfEven(number, digits).toFixed(digits)
