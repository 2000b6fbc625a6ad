import { isJsonObject } from '../../lib/json-exact.ts'
import type { OutboundRequest } from '../../lib/outbound-http.ts'

export interface NotificationText {
  readonly subject: string
  readonly body: string
}

/** The data of a block, including secrets. */
export type BlockData = Readonly<Record<string, unknown>>

/** Builds the requests that deliver a notification. Throws an `InvalidBlockError` when the block is incomplete. */
export type Notifier = (data: BlockData, notification: NotificationText) => readonly OutboundRequest[]

export class InvalidBlockError extends Error {}

export function requireText(data: BlockData, field: string): string {
  const value = data[field]
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidBlockError(`Block is missing "${field}".`)
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

/** Subject and body in one text, for services without a subject. */
export const toPlainText = ({ subject, body }: NotificationText): string => (subject === '' ? body : `${subject}\n${body}`)
