import { LogFilter } from '@millrace/contracts/log.ts'
import { JsonSyntaxError } from '../../lib/json-exact.ts'
import { closeCodes, type Peer, SocketRefusal, type SocketRoute } from '../../lib/socket.ts'
import type { Parts } from '../../storage/parts.ts'
import { liveLogs } from './live.ts'
import { logMatcher } from './matches.ts'

export const logSocket = (parts: Parts): SocketRoute => ({ path: '/logs/out', scope: 'logs:read', serve: (peer) => sendLogs(parts, peer) })

/** Logs that match a filter, as they are written; none of the past, which can be asked for. */
async function sendLogs(parts: Parts, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const message = (await jsonOf(peer, first)) as { type?: unknown; filter?: unknown } | null
  if (message?.type !== 'filter') throw new SocketRefusal(closeCodes.protocolError, 'Expected a "filter" message')
  const reading = peer.read(LogFilter, message.filter)
  if ('refusal' in reading) throw new SocketRefusal(closeCodes.protocolError, `Invalid filter: ${reading.refusal}`)
  const matches = logMatcher(reading.value)
  const stop = liveLogs(parts).listen((log) => {
    if (matches(log.row)) peer.send(log.frame)
  })
  try {
    while ((await peer.next()) !== undefined);
  } finally {
    stop()
  }
}

async function jsonOf(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch (error) {
    throw new SocketRefusal(closeCodes.protocolError, error instanceof JsonSyntaxError ? 'A message was no JSON' : (error as Error).message)
  }
}
