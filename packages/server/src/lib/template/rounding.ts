/** To the nearest, and from the exact middle to the even digit. */
export function roundHalfEven(number: number, digits: number): number {
  if (!Number.isFinite(number)) return number
  if (digits < 0) {
    const unit = 10 ** -digits
    return roundToEven(number / unit) * unit
  }
  // A number that lies exactly in the middle of two decimals has a short binary fraction.
  const isMiddle = Number.isInteger(number * 2 ** (digits + 1)) && Math.abs((number * 10 ** digits) % 1) === 0.5
  return isMiddle ? roundToEven(number * 10 ** digits) / 10 ** digits : Number(number.toFixed(digits))
}

function roundToEven(number: number): number {
  const below = Math.floor(number)
  const fraction = number - below
  if (fraction !== 0.5) return Math.round(number)
  return below % 2 === 0 ? below : below + 1
}

/** With as many decimals as asked for. */
export const toFixed = (number: number, digits: number): string => roundHalfEven(number, digits).toFixed(digits)
