import { isJsonObject } from '../../lib/json-exact.ts'
import type { OutboundRequest } from '../../lib/outbound-http.ts'

export interface NotificationText {
  readonly subject: string
  readonly body: string
}

/** The data of a block, with its secrets. */
export type BlockData = Readonly<Record<string, unknown>>

/** What has to be sent to tell somebody, in the terms of their service. Throws a sentence when the block lacks something. */
export type Notifier = (data: BlockData, notification: NotificationText) => readonly OutboundRequest[]

/** The block is not as its service needs it. */
export class InvalidBlockError extends Error {}

export function requireText(data: BlockData, field: string): string {
  const value = data[field]
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidBlockError(`The block lacks "${field}"`)
}

export const optionalText = (data: BlockData, field: string): string | undefined => {
  const value = data[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const textList = (data: BlockData, field: string): string[] => {
  const value = data[field]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

export const objectField = (data: BlockData, field: string): Record<string, unknown> => {
  const value = data[field]
  return isJsonObject(value) ? value : {}
}

export const postJson = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Both in one text, for services that know no subject. */
export const toPlainText = ({ subject, body }: NotificationText): string => (subject === '' ? body : `${subject}\n${body}`)
