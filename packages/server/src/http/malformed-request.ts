import type { Socket } from 'node:net'
import { badRequest } from '../errors.ts'
import { errorText } from './error-handler.ts'

const known: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What is not HTTP never becomes a request; it is told so in the words of every other error, and the connection ends. */
export function answerMalformedRequest(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy(error)
  const status = known[error.code ?? ''] ?? '400 Bad Request'
  const body = errorText(badRequest(`This is not a request: ${status.slice(4)}`), requestId)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  )
}
