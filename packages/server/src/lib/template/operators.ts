import type { Budget } from './budget.ts'
import { TemplateError } from './errors.ts'
import { printf } from './formatting.ts'
import { spendOnIntegers } from './numbers.ts'
import { toText } from './to-text.ts'
import { isDict, isList, isNumber, TemplateObject, Time, TimeSpan, Tuple, typeName, Undefined, type Value } from './values.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**'
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

/** Larger numbers have no use and are slow to multiply. */
const digitsMax = 1000
const wholeMax = 10n ** BigInt(digitsMax)

export function applyBinary(operator: BinaryOperator, left: Value, right: Value, budget: Budget): Value {
  if (isNumber(left) && isNumber(right)) {
    spendOnIntegers(budget, left, right)
    return numeric(operator, left, right)
  }
  if (operator === '+') return add(left, right, budget)
  if (operator === '-') return subtract(left, right)
  if (operator === '*') return multiply(left, right, budget)
  if (operator === '%' && typeof left === 'string') return printf(left, right, budget)
  throw unsupported(operator, left, right)
}

function numeric(operator: BinaryOperator, left: boolean | bigint | number, right: boolean | bigint | number): bigint | number {
  if (typeof left === 'number' || typeof right === 'number' || operator === '/') return floating(operator, Number(left), Number(right))
  const [a, b] = [BigInt(left), BigInt(right)]
  if ((operator === '//' || operator === '%') && b === 0n) throw new TemplateError('Division by zero')
  switch (operator) {
    case '+':
      return bounded(a + b)
    case '-':
      return bounded(a - b)
    case '*':
      return bounded(a * b)
    case '//':
      return floorDivided(a, b)
    case '%':
      return a - floorDivided(a, b) * b
    default:
      return power(a, b)
  }
}

function floating(operator: BinaryOperator, a: number, b: number): number {
  if (operator !== '+' && operator !== '-' && operator !== '*' && operator !== '**' && b === 0) throw new TemplateError('Division by zero')
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '//':
      return Math.floor(a / b)
    case '%':
      return a - Math.floor(a / b) * b
    default:
      return a ** b
  }
}

function floorDivided(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

function power(a: bigint, b: bigint): bigint | number {
  if (b < 0n) return Number(a) ** Number(b)
  const magnitude = a < 0n ? -a : a
  if (magnitude > 1n && b * BigInt(magnitude.toString().length) > digitsMax * 2) throw tooLarge()
  return bounded(a ** b)
}

function bounded(value: bigint): bigint {
  if (value > wholeMax || value < -wholeMax) throw tooLarge()
  return value
}

const tooLarge = () => new TemplateError('A number in the template is too large')

function add(left: Value, right: Value, budget: Budget): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.spendOnText(left.length + right.length)
    return left + right
  }
  if (isList(left) && isList(right)) {
    budget.spendOnList(left.length + right.length)
    return [...left, ...right]
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    budget.spendOnList(left.items.length + right.items.length)
    return new Tuple([...left.items, ...right.items])
  }
  if (left instanceof Time && right instanceof TimeSpan) return new Time(left.micros + right.micros)
  if (left instanceof TimeSpan && right instanceof Time) return new Time(left.micros + right.micros)
  if (left instanceof TimeSpan && right instanceof TimeSpan) return new TimeSpan(left.micros + right.micros)
  throw unsupported('+', left, right)
}

function subtract(left: Value, right: Value): Value {
  if (left instanceof Time && right instanceof Time) return new TimeSpan(left.micros - right.micros)
  if (left instanceof Time && right instanceof TimeSpan) return new Time(left.micros - right.micros)
  if (left instanceof TimeSpan && right instanceof TimeSpan) return new TimeSpan(left.micros - right.micros)
  throw unsupported('-', left, right)
}

function multiply(left: Value, right: Value, budget: Budget): Value {
  if (isWhole(left) && !isWhole(right)) return multiply(right, left, budget)
  if (!isWhole(right)) throw unsupported('*', left, right)
  // A count beyond safe integers exceeds every limit too.
  const times = Math.max(0, Number(right))
  if (typeof left === 'string') {
    budget.spendOnText(left.length * times)
    return left.repeat(times)
  }
  const items = isList(left) ? left : left instanceof Tuple ? left.items : undefined
  if (!items) throw unsupported('*', left, right)
  budget.spendOnList(items.length * times)
  const made = Array.from({ length: times }, () => items).flat()
  return left instanceof Tuple ? new Tuple(made) : made
}

const isWhole = (value: Value): value is bigint | boolean => typeof value === 'bigint' || typeof value === 'boolean'

const unsupported = (operator: string, left: Value, right: Value): TemplateError => {
  const missing = left instanceof Undefined ? left : right instanceof Undefined ? right : undefined
  if (missing) return new TemplateError(`'${missing.name}' is undefined`)
  return new TemplateError(`unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`)
}

export function negate(value: Value): Value {
  if (value instanceof TimeSpan) return new TimeSpan(-value.micros)
  if (!isNumber(value)) throw unsupported('-', 0n, value)
  return typeof value === 'number' ? -value : -BigInt(value)
}

export function concatenate(values: readonly Value[], budget: Budget): string {
  const texts = values.map((value) => toText(value, budget))
  budget.spendOnText(texts.reduce((sum, text) => sum + text.length, 0))
  return texts.join('')
}

export function isEqual(left: Value, right: Value, budget: Budget): boolean {
  budget.spend()
  if (isNumber(left) && isNumber(right)) return isSameNumber(asNumeric(left), asNumeric(right))
  if (isList(left) && isList(right)) return areEqual(left, right, budget)
  if (left instanceof Tuple && right instanceof Tuple) return areEqual(left.items, right.items, budget)
  if (isDict(left) && isDict(right)) {
    if (left.size !== right.size) return false
    return budget.nested(() => [...left].every(([key, inner]) => right.has(key) && isEqual(inner, right.get(key) as Value, budget)))
  }
  if (left instanceof Undefined && right instanceof Undefined) return true
  if ((left instanceof Time && right instanceof Time) || (left instanceof TimeSpan && right instanceof TimeSpan)) return left.micros === right.micros
  // A label with nested labels is compared by its own text.
  if (left instanceof TemplateObject && typeof right === 'string') return left.text === right
  if (right instanceof TemplateObject && typeof left === 'string') return right.text === left
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) budget.spendOnComparison(left, right)
  return left === right
}

/** 1 and 1.0 are equal. */
const isSameNumber = (a: bigint | number, b: bigint | number): boolean => a === b || (typeof a !== typeof b && a <= b && a >= b)

const asNumeric = (value: boolean | bigint | number): bigint | number => (typeof value === 'boolean' ? BigInt(value) : value)

const areEqual = (left: readonly Value[], right: readonly Value[], budget: Budget): boolean =>
  left.length === right.length && budget.nested(() => left.every((item, index) => isEqual(item, right[index] as Value, budget)))

/** Negative if the first is less. */
export function compareValues(left: Value, right: Value, budget: Budget): number {
  budget.spend()
  if (isNumber(left) && isNumber(right)) return order(asNumeric(left), asNumeric(right))
  if (typeof left === 'string' && typeof right === 'string') {
    budget.spendOnComparison(left, right)
    return order(left, right)
  }
  if ((left instanceof Time && right instanceof Time) || (left instanceof TimeSpan && right instanceof TimeSpan))
    return order(left.micros, right.micros)
  const [a, b] = [
    isList(left) ? left : left instanceof Tuple ? left.items : null,
    isList(right) ? right : right instanceof Tuple ? right.items : null,
  ]
  if (!a || !b) throw unsupported('<', left, right)
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [one, other] = [a[index] as Value, b[index] as Value]
    if (!isEqual(one, other, budget)) return budget.nested(() => compareValues(one, other, budget))
  }
  return a.length - b.length
}

const order = <T extends bigint | number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

export function applyComparison(operator: ComparisonOperator, left: Value, right: Value, budget: Budget): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, budget)
    case '!=':
      return !isEqual(left, right, budget)
    case 'in':
      return isIn(left, right, budget)
    case 'not in':
      return !isIn(left, right, budget)
    case '<':
      return compareValues(left, right, budget) < 0
    case '<=':
      return compareValues(left, right, budget) <= 0
    case '>':
      return compareValues(left, right, budget) > 0
    default:
      return compareValues(left, right, budget) >= 0
  }
}

export function isIn(value: Value, container: Value, budget: Budget): boolean {
  if (container instanceof Undefined) return false
  if (typeof container === 'string') {
    if (typeof value !== 'string') throw new TemplateError(`'in <string>' requires a string, not ${typeName(value)}`)
    budget.spendOnSearch(container.length, value.length)
    return container.includes(value)
  }
  if (isDict(container)) return typeof value !== 'object' || value === null ? container.has(value) : false
  if (container instanceof TemplateObject) return typeof value === 'string' && (container.items.has(value) || container.attributes.has(value))
  const items = isList(container) ? container : container instanceof Tuple ? container.items : undefined
  if (!items) throw new TemplateError(`'${typeName(container)}' object is not iterable`)
  return items.some((item) => isEqual(item, value, budget))
}
