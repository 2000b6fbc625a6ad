import { LogFilter } from '@millrace/contracts/log.ts'
import { JsonSyntaxError } from '../../lib/json-exact.ts'
import { closeCodes, type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { liveLogs } from './live-logs.ts'
import { logMatcher } from './match-log.ts'

export const logSocket = (context: ServerContext): SocketRoute => ({
  path: '/logs/out',
  scope: 'logs:read',
  serve: (peer) => sendLogs(context, peer),
})

/** Logs that match a filter, as they are written; none of the past, which can be asked for. */
async function sendLogs(context: ServerContext, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const message = (await jsonOf(peer, first)) as { type?: unknown; filter?: unknown } | null
  if (message?.type !== 'filter') throw new SocketRejection(closeCodes.protocolError, 'Expected a "filter" message')
  const reader = peer.read(LogFilter, message.filter)
  if ('refusal' in reader) throw new SocketRejection(closeCodes.protocolError, `Invalid filter: ${reader.refusal}`)
  const matches = logMatcher(reader.value)
  const stop = liveLogs(context).listen((log) => {
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
    throw new SocketRejection(closeCodes.protocolError, error instanceof JsonSyntaxError ? 'A message was no JSON' : (error as Error).message)
  }
}
