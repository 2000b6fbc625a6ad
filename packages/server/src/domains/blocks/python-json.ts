import { ExactNumber } from '../../lib/json-exact.ts'

/**
 * JSON in the format of Python's `json.dumps(value, sort_keys=True)`, for checksums that clients compute: keys sorted by code point, a space
 * after `,` and `:`, ASCII only, `1.0` and `1` distinct. Takes values from `parseJson`.
 */
export function pythonJson(value: unknown): string {
  if (typeof value === 'string') return pythonString(value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : pythonFloat(value)
  if (value instanceof ExactNumber) return pythonNumber(value.source)
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort(byCodePoint)
  return `{${keys.map((key) => `${pythonString(key)}: ${pythonJson((value as Record<string, unknown>)[key])}`).join(', ')}}`
}

const pythonString = (text: string): string =>
  JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Integers keep all digits; `-0` is 0 in Python. */
function pythonNumber(source: string): string {
  if (/[.eE]/.test(source)) return pythonFloat(Number(source))
  return source === '-0' ? '0' : source
}

/** The shortest digits, as in JavaScript. Python uses an exponent from 1e16 on and below 1e-4, with two digits. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa = '', power = ''] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= 16 || exponent < -4) return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  const digits = mantissa.replace(/^-/, '').replace('.', '')
  const sign = value < 0 ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return `${sign}${digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')}.${digits.slice(exponent + 1) || '0'}`
}

/** JavaScript compares UTF-16 units, which sorts characters above U+FFFF too early. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    const difference = ((left[i] as string).codePointAt(0) as number) - ((right[i] as string).codePointAt(0) as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
