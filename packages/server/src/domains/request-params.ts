import { InvalidRequest } from '../errors.ts'

/** The limit of a list: the configured one unless the client asks for less; more is refused. */
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
