import type { SocketRoute } from '../../../packages/server/src/lib/socket.ts'
import { closeCodes } from '../../../packages/server/src/lib/socket.ts'

const closeCodeMeanings: Readonly<Record<keyof typeof closeCodes, string>> = {
  protocolError: 'A message is not what the WebSocket expects.',
  notText: 'A message is not valid JSON.',
  policy: 'The credentials are missing, wrong or not sent in time.',
  tooLarge: 'A message is larger than the server accepts.',
  serverError: 'An unexpected error of the server, or a ping that was not answered.',
  restart: 'The server shuts down. Connect again.',
  tryLater: 'The client reads too slowly, the server cannot keep up, or the database is unavailable. Connect again.',
}

/** Generates the page of the WebSockets, which are no part of the OpenAPI document. */
export function webSocketPage(sockets: readonly SocketRoute[], generated: string): string[] {
  return [
    '# WebSockets',
    '',
    'With a WebSocket a program receives events, logs and tasks as they happen, and sends events and heartbeats over one connection.',
    '',
    generated,
    '',
    'Each path is at `ws://HOST/api/…`, or `wss://` behind TLS. Messages are JSON texts. With a password, offer the subprotocol `prefect` and send',
    '`{"type": "auth", "token": "user:password"}` first; the server answers with `{"type": "auth_success"}`. Without a password this handshake is optional, except where it is required below.',
    '',
    '| close code | meaning |',
    '|---|---|',
    '| 1000 | The conversation is complete. |',
    ...Object.entries(closeCodes).map(([name, code]) => `| ${code} | ${closeCodeMeanings[name as keyof typeof closeCodes]} |`),
    ...sockets.flatMap(({ path, scope, kind, summary, description, requiresHandshake }) => [
      '',
      `## ${summary}`,
      '',
      `\`${path.replaceAll(/:(\w+)/g, '{$1}')}\` · ${kind} · scope \`${scope}\`${requiresHandshake ? ' · requires the handshake' : ''}`,
      '',
      description,
    ]),
  ]
}
