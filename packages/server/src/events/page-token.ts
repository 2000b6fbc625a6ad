import { EventFilter } from '@millrace/contracts/event-filter.ts'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { forbidden } from '../errors.ts'

const number = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

/** The state of a paged list. It contains the filter, so that any server can read the next page. */
const PageToken = Type.Object({
  filter: EventFilter,
  since: number,
  until: number,
  total: number,
  limit: Type.Integer({ minimum: 0, maximum: 50 }),
  /** The number of events on the previous pages. */
  shown: number,
  /** The last event of the previous page. */
  after: Type.Union([Type.Object({ occurred: number, position: number }), Type.Null()]),
})
export type PageToken = Static<typeof PageToken>

export const encodePageToken = (token: PageToken): string => Buffer.from(JSON.stringify(token)).toString('base64url')

export function decodePageToken(text: string): PageToken {
  let token: unknown
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    token = undefined
  }
  if (!Check(PageToken, token)) throw forbidden('Invalid page token.')
  return token
}
