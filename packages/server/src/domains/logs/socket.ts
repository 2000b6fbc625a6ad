import { LogFilter } from '@millrace/contracts/log.ts'
import { JsonSyntaxError } from '../../lib/json-exact.ts'
import { closeCodes, type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { liveLogs } from './live-logs.ts'
import { logMatcher } from './match-log.ts'

export const logSocket = (context: ServerContext): SocketRoute => ({
  path: '/logs/out',
  summary: 'Receive logs',
  description:
    'Send `{"type": "filter", "filter": {…}}` with a log filter first. The server sends new logs that match, each as `{"type": "log", "log": {…}}`. Read past logs with `POST /logs/filter`. When logs arrive faster than they can be sent, the connection is closed with 1013.',
  scope: 'logs:read',
  kind: 'query',
  serve: (peer) => sendLogs(context, peer),
})

/** Sends new logs that match a filter. Clients query past logs by `POST /logs/filter`. */
async function sendLogs(context: ServerContext, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const message = (await parseMessage(peer, first)) as { type?: unknown; filter?: unknown } | null
  if (message?.type !== 'filter') throw new SocketRejection(closeCodes.protocolError, 'Expected a "filter" message')
  const filter = peer.read(LogFilter, message.filter)
  if ('refusal' in filter) throw new SocketRejection(closeCodes.protocolError, `Invalid filter: ${filter.refusal}`)
  const matches = logMatcher(filter.value)
  const stop = liveLogs(context).listen({
    send(log) {
      if (matches(log.row)) peer.send(log.frame)
    },
    onGap: () => peer.close(closeCodes.tryLater, 'Logs arrive faster than they can be sent. Query them, and connect again.'),
  })
  try {
    while ((await peer.next()) !== undefined);
  } finally {
    stop()
  }
}

async function parseMessage(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch (error) {
    throw new SocketRejection(closeCodes.protocolError, error instanceof JsonSyntaxError ? 'Message is not valid JSON' : (error as Error).message)
  }
}
