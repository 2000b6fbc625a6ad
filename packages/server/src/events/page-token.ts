import { EventFilter } from '@millrace/contracts/event-filter.ts'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { forbidden } from '../errors.ts'

const number = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

/** Where a list goes on. It carries the filter, so that a page needs nothing of the server that gave the one before. */
const PageToken = Type.Object({
  filter: EventFilter,
  since: number,
  until: number,
  total: number,
  limit: Type.Integer({ minimum: 0, maximum: 50 }),
  /** How many events were shown so far. */
  shown: number,
  /** The last of them. */
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
  if (!Check(PageToken, token)) throw forbidden('The page token is none that this server gave')
  return token
}
