import { Uuid } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { conflict, InvalidRequest } from '../errors.ts'

/** The path parameters of operations on one object. */
export const IdParams = Type.Object({ id: Uuid })

/** The page size of a list: the configured maximum unless the client sends less. A larger value is an error. */
export function pageLimit(given: number | undefined, max: number): number {
  if (given === undefined) return max
  if (given <= max) return given
  throw new InvalidRequest([
    { loc: ['body', 'limit'], type: 'less_than_equal', msg: `Invalid limit: must be less than or equal to ${max}.`, input: given, ctx: { le: max } },
  ])
}

export interface Page<T> {
  readonly results: readonly T[]
  readonly count: number
  readonly limit: number
  readonly pages: number
  readonly page: number
}

export function toPage<T>(results: readonly T[], count: number, limit: number, page: number): Page<T> {
  return { results, count, limit, pages: limit === 0 ? 0 : Math.ceil(count / limit), page }
}

export const pageOffset = (page: number, limit: number): number => (page - 1) * limit

/** Rejects null for fields that must have a value. */
export function assertNotNull<T extends object>(change: T, ...fields: (keyof T & string)[]): void {
  const nullField = fields.find((field) => change[field] === null)
  if (nullField !== undefined) throw conflict(`"${nullField}" cannot be null. Omit the field to leave it unchanged.`)
}
